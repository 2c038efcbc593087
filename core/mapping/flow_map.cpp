#include "mapping/flow_map.hpp"

#include <algorithm>

#include "numeric/disjoint_sets.hpp"

namespace phida {
namespace {

// Every member is a leaf.
NodeMap leaves_of(const Flow& flow, std::size_t n_nodes, const FeatureTransform& transform) {
  NodeMap map;
  map.leaf.assign(n_nodes, -1);
  for (std::size_t v = 0; v < flow.members.size(); ++v)
    map.leaf[flow.members[v]] = static_cast<std::int32_t>(v);
  map.n_leaves = flow.members.size();
  map.transform = transform;
  map.leaves = Leaf::kNode;
  return map;
}

}  // namespace

NodeMap map_groups(const Flow& flow, const FlowGroups& groups, std::size_t n_nodes,
                   const FeatureTransform& transform) {
  NodeMap map = leaves_of(flow, n_nodes, transform);
  map.height = Height::kProminence;
  map.scoring = Scoring::kNearest;
  DisjointSets clusters;
  clusters.reset(map.n_leaves);
  for (const FlowMerge& merge : groups.merges) {
    const std::int32_t a = clusters.root(merge.a), b = clusters.root(merge.b);
    map.merges.push_back({std::min(a, b), std::max(a, b), merge.prominence()});
    clusters.hang(std::max(a, b), std::min(a, b));
  }
  const auto stands = std::find_if(
      groups.merges.begin(), groups.merges.end(),
      [](const FlowMerge& m) { return m.peak_height >= kProminence * m.valley_height; });
  map.level = static_cast<std::size_t>(stands - groups.merges.begin());
  return map;
}

NodeMap map_parts(const Flow& flow, std::size_t n_nodes, const FeatureTransform& transform) {
  NodeMap map = leaves_of(flow, n_nodes, transform);
  map.height = Height::kModularity;
  map.scoring = Scoring::kRadius;
  ModularityMerges found = maximise_modularity(flow.edges, flow.loop);
  map.merges = std::move(found.merges);
  map.level = found.level;
  return map;
}

}  // namespace phida
