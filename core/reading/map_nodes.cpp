#include "reading/map_nodes.hpp"

#include "mapping/flow_map.hpp"

namespace phida {
namespace {

PairCounts counts_of(const PairStatistics& statistics, std::int64_t unit) {
  PairCounts counts;
  for (const PairSums& sums : statistics.sorted())
    counts.pairs.push_back(
        {sums.winner, sums.runner_up, sums.count, sums.offset, sums.offset_square});
  counts.unpaired = statistics.unpaired();
  counts.unit = unit;
  return counts;
}

}  // namespace

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
