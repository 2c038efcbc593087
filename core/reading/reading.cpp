#include "reading/reading.hpp"

#include <limits>
#include <stdexcept>

#include "lineage/cluster_ids.hpp"

namespace phida {

void finish(Reading& reading) {
  reading.map.clusters(reading.cluster);
  const std::size_t n_clusters = reading.map.n_clusters();
  reading.view = make_view(reading.nodes.representative, reading.nodes.support, reading.cluster,
                           n_clusters, reading.map);
  reading.cluster_id = ids_of_clusters({reading.cluster, n_clusters, reading.nodes.support},
                                       reading.nodes.lineage, reading.lineage);
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
  Reading cut = reading;
  cut.map.merges = all_merges(reading);
  cut.map.complete = true;
  if (level > cut.map.merges.size()) throw std::invalid_argument("there are not so many merges");
  cut.map.level = level;
  cut.density.prominence.resize(cut.map.merges.size(), std::numeric_limits<double>::infinity());
  cut.density.chance.resize(cut.map.merges.size(), 0.0);
  finish(cut);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
