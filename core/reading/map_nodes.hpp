// The one place where it is chosen by which rule nodes become clusters.
#pragma once

#include "lineage/lineage.hpp"
#include "mapping/flow.hpp"
#include "mapping/flow_groups.hpp"
#include "mapping/ph_view.hpp"
#include "nodes/node_state.hpp"

namespace phida {

// What the samples between nodes tell, for the rules of PHIDA+; empty for the published one.
struct FlowView {
  PairCounts counts;
  Flow flow;
  FlowGroups groups;
};

// The map by a rule. The rules of PHIDA+ fall back to the published one where no two nodes have counts with each other.
// `unit` is what one sample counts in the pair statistics.
void map_nodes(const NodeState& nodes, const PhView& ph, Rule rule, std::int64_t unit,
               ColumnQuartiles& quartiles, FlowView& flow, NodeMap& out);

// The clusters that the lineage follows: those of the rule, with memory for groups. Returns how many there are.
std::size_t map_remembered(const NodeState& nodes, const Lineage& lineage, const PhView& ph,
                           Rule rule, std::int64_t unit, ColumnQuartiles& quartiles,
                           std::vector<std::int32_t>& cluster);

}  // namespace phida
