#include "reading/map_nodes.hpp"

#include <algorithm>

#include "mapping/flow_map.hpp"

namespace phida {
namespace {

PairCounts counts_of(const PairStatistics& statistics, std::int64_t unit) {
  PairCounts counts;
  const std::vector<PairSums> sorted = statistics.sorted();
  counts.pairs.reserve(sorted.size());
  for (const PairSums& sums : sorted)
    counts.pairs.push_back(
        {sums.winner, sums.runner_up, sums.count, sums.offset, sums.offset_square});
  counts.unpaired = statistics.unpaired();
  counts.unit = unit;
  return counts;
}

std::vector<Memory> memory_of(const NodeState& nodes, const Lineage& lineage) {
  std::vector<Memory> memory(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t k = position_of(nodes.cluster_id[i], lineage.living);
    if (k == kNone) continue;
    const double settled = static_cast<double>(lineage.living[k].settled);
    memory[i] = {nodes.cluster_id[i], std::min(settled / kSettledRows, 1.0)};
  }
  return memory;
}

}  // namespace

std::size_t map_remembered(const NodeState& nodes, const Lineage& lineage, const PhView& ph,
                           Rule rule, std::int64_t unit, ColumnQuartiles& quartiles,
                           std::vector<std::int32_t>& cluster) {
  if (rule == Rule::kGroups) {
    const Flow flow = find_flow(nodes.support, counts_of(nodes.pairs, unit));
    if (!flow.members.empty()) {
      FeatureTransform transform;
      fit_scaling(nodes.representative, flow.members, 0, quartiles, transform);
      return remembered_groups(flow, find_groups(nodes.representative, flow, transform), unit,
                               memory_of(nodes, lineage), nodes.support, cluster);
    }
  }
  FlowView flow;
  NodeMap map;
  map_nodes(nodes, ph, rule, unit, quartiles, flow, map);
  map.clusters(cluster);
  return map.n_clusters();
}

void map_nodes(const NodeState& nodes, const PhView& ph, Rule rule, std::int64_t unit,
               ColumnQuartiles& quartiles, FlowView& flow, NodeMap& out) {
  flow = {};
  if (rule != Rule::kPublished) {
    flow.counts = counts_of(nodes.pairs, unit);
    flow.flow = find_flow(nodes.support, flow.counts);
  }
  if (flow.flow.members.empty()) return map_published(ph, nodes.size(), out);
  FeatureTransform transform;
  fit_scaling(nodes.representative, flow.flow.members, 0, quartiles, transform);
  if (rule == Rule::kParts) {
    out = map_parts(flow.flow, nodes.size(), transform);
  } else {
    flow.groups = find_groups(nodes.representative, flow.flow, transform);
    out = map_groups(flow.flow, flow.groups, nodes.size(), transform);
  }
}

}  // namespace phida
