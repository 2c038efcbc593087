#include "reading.hpp"

#include <stdexcept>

namespace phida {
namespace {

AssignmentView view_of(const Reading& reading) {
  std::vector<std::int32_t> members, clusters;
  for (std::size_t i = 0; i < reading.cluster.size(); ++i) {
    if (reading.cluster[i] == kNone) continue;
    members.push_back(static_cast<std::int32_t>(i));
    clusters.push_back(reading.cluster[i]);
  }
  return make_view(reading.nodes.representative, reading.nodes.support, members, clusters,
                   reading.ph.n_clusters(), reading.ph.hierarchy.transform);
}

std::vector<std::int64_t> ids_of(const Reading& reading) {
  Succession succession;
  SuccessionFinder().find(reading.nodes, reading.cluster, reading.ph.n_clusters(), reading.living,
                          succession);
  std::int64_t next = reading.n_ids;
  for (std::int64_t& id : succession.id)
    if (id == kNone) id = next++;
  return succession.id;
}

}  // namespace

void finish(Reading& reading) {
  reading.ph.map_nodes(reading.nodes.size(), reading.cluster);
  reading.view = view_of(reading);
  reading.cluster_id = ids_of(reading);
}

std::vector<Merge> all_merges(const Reading& reading) {
  ComponentHierarchy hierarchy = reading.ph.hierarchy;
  ComponentMass mass = reading.ph.mass;
  mass.minimum_count = 1;
  HierarchyBuilder().agglomerate(mass, hierarchy);
  return hierarchy.merges;
}

std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level) {
  Reading cut = reading;
  cut.ph.hierarchy.merges = all_merges(reading);
  if (level > cut.ph.hierarchy.merges.size())
    throw std::invalid_argument("there are not so many merges");
  cut.ph.hierarchy.level = level;
  finish(cut);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
