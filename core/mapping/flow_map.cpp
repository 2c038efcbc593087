#include "mapping/flow_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

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

// Is the peak above the threshold by so many standard errors? The valley's count is compared with what it would be at the
// threshold; roots of counts have nearly the same error whatever the count.
bool is_prominent(const FlowMerge& merge, double unit, double errors) {
  if (merge.peak_height < kProminence * merge.valley_height) return false;
  const double valley = static_cast<double>(merge.valley_count) / unit;
  const double peak = static_cast<double>(merge.peak_count) / unit;
  const double at_threshold = valley * merge.prominence() / kProminence;
  return 2.0 * (std::sqrt(at_threshold) - std::sqrt(valley)) >=
         errors * std::sqrt(1.0 + at_threshold / peak);
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

std::size_t remembered_groups(const Flow& flow, const FlowGroups& groups, std::int64_t unit,
                              std::span<const Memory> memory, std::span<const double> support,
                              std::vector<std::int32_t>& cluster) {
  constexpr double kErrors = 4.0;
  const std::size_t n = flow.members.size();
  // Per tree: support by remembered cluster; new nodes are of none, -1.
  std::vector<std::map<std::int64_t, double>> shares(n);
  for (std::size_t v = 0; v < n; ++v)
    shares[v][memory[flow.members[v]].id] = support[flow.members[v]];
  const auto was = [&](std::int32_t tree) {
    std::pair<std::int64_t, double> most{-1, 0.0};
    for (const auto& share : shares[tree])
      if (share.second > most.second) most = share;
    return most.first;
  };
  DisjointSets trees;
  trees.reset(n);
  for (const FlowMerge& merge : groups.merges) {
    const std::int32_t a = trees.root(merge.a), b = trees.root(merge.b);
    const std::int64_t was_a = was(a);
    const bool was_one = was_a != -1 && was_a == was(b);
    const double errors = was_one ? kErrors * memory[flow.members[merge.peak]].settled : 0.0;
    if (is_prominent(merge, static_cast<double>(unit), errors)) continue;
    for (const auto& [id, share] : shares[b]) shares[a][id] += share;
    trees.hang(b, a);
  }
  cluster.assign(support.size(), -1);
  std::vector<std::int32_t> label(n, -1);
  std::int32_t next = 0;
  for (std::size_t v = 0; v < n; ++v) {
    std::int32_t& of_tree = label[trees.root(static_cast<std::int32_t>(v))];
    if (of_tree == -1) of_tree = next++;
    cluster[flow.members[v]] = of_tree;
  }
  return static_cast<std::size_t>(next);
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
