#include "reading/reading.hpp"

#include <stdexcept>

namespace phida {
namespace {

// Those of the map, ascending.
std::vector<std::int32_t> members_of(const NodeMap& map) {
  std::vector<std::int32_t> members;
  for (std::size_t i = 0; i < map.group.size(); ++i)
    if (map.group[i] != kNone) members.push_back(static_cast<std::int32_t>(i));
  return members;
}

// The members' own metric; that of the paper's map is known already.
FeatureTransform metric_of(const Reading& reading, ColumnQuartiles& quartiles) {
  FeatureTransform transform = reading.ph.hierarchy.transform;
  if (reading.map.mapping == Mapping::kCoactivation)
    fit_scaling(reading.nodes.representative, members_of(reading.map), 0, quartiles, transform);
  return transform;
}

AssignmentView view_of(const Reading& reading, const FeatureTransform& transform) {
  const std::vector<std::int32_t> members = members_of(reading.map);
  std::vector<std::int32_t> clusters;
  for (const std::int32_t i : members) clusters.push_back(reading.cluster[i]);
  return make_view(reading.nodes.representative, reading.nodes.support, members, clusters,
                   reading.map.n_clusters(), transform);
}

// A cluster that no refresh has seen has the id that a refresh would give it now.
std::vector<std::int64_t> ids_of(const Reading& reading) {
  Succession succession;
  SuccessionFinder().find(reading.nodes, reading.cluster, reading.map.n_clusters(), reading.living,
                          succession);
  std::int64_t next = reading.n_ids;
  for (std::int64_t& id : succession.id)
    if (id == kNone) id = next++;
  return succession.id;
}

void finish_map(Reading& reading, const FeatureTransform& transform) {
  reading.map.clusters(reading.cluster);
  reading.view = view_of(reading, transform);
  reading.cluster_id = ids_of(reading);
}

}  // namespace

void finish(Reading& reading, Mapping wanted, ColumnQuartiles& quartiles) {
  reading.map = map_nodes(reading.nodes, reading.ph, wanted);
  finish_map(reading, metric_of(reading, quartiles));
}

std::vector<Merge> all_merges(const Reading& reading) {
  if (reading.map.mapping == Mapping::kCoactivation) return reading.map.merges;
  ComponentHierarchy hierarchy = reading.ph.hierarchy;
  ComponentMass mass = reading.ph.mass;
  mass.minimum_count = 1;
  HierarchyBuilder().agglomerate(mass, hierarchy);
  return hierarchy.merges;
}

std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level) {
  Reading cut = reading;
  cut.map.merges = all_merges(reading);
  if (level > cut.map.merges.size()) throw std::invalid_argument("there are not so many merges");
  cut.map.level = level;
  finish_map(cut, reading.view.transform);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
