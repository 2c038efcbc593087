#include "reading/reading.hpp"

#include <limits>
#include <stdexcept>

#include "lineage/cluster_ids.hpp"

namespace phida {

Reading::Reading(Learned learned) : Learned(std::move(learned)) {
  map.clusters(cluster);
  const std::size_t n_clusters = map.n_clusters();
  view = make_view(nodes.representative, nodes.support, cluster, n_clusters, map);
  cluster_id = ids_of_clusters({cluster, n_clusters, nodes.support}, nodes.lineage, lineage);
}

bool assign(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels) {
  return assign(reading.view, rows, n, threads, go_on, labels);
}

bool assign_ids(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
                const GoOn& go_on, std::int64_t* ids) {
  if (!assign(reading, rows, n, threads, go_on, ids)) return false;
  for (std::size_t i = 0; i < n; ++i) ids[i] = reading.cluster_id[ids[i]];
  return true;
}

RowMatrix places(const Reading& reading) {
  RowMatrix place = reading.nodes.representative;
  if (const double* const scaling = reading.map.transform.scaling())
    for (std::size_t i = 0; i < place.rows(); ++i)
      for (std::size_t j = 0; j < place.cols(); ++j) place[i][j] *= scaling[j];
  return place;
}

std::vector<Merge> all_merges(const Reading& reading) {
  if (reading.map.complete) return reading.map.merges;
  return reading.map.leaves == Leaf::kComponent ? all_merges(reading.ph)
                                                : all_merges(reading.map, places(reading));
}

std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level) {
  Learned cut = reading;
  cut.map.merges = all_merges(reading);
  cut.map.complete = true;
  if (level > cut.map.merges.size()) throw std::invalid_argument("there are not so many merges");
  cut.map.level = level;
  cut.density.prominence.resize(cut.map.merges.size(), std::numeric_limits<double>::infinity());
  cut.density.chance.resize(cut.map.merges.size(), 0.0);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
