// The maps of PHIDA+ from nodes to clusters, at either level. Not in the paper.
#pragma once

#include <span>

#include "mapping/flow.hpp"
#include "mapping/flow_groups.hpp"
#include "mapping/node_map.hpp"

namespace phida {

// Groups: what a visible gap separates. `transform` is the metric of the flow's members, of which there is at least one.
NodeMap map_groups(const Flow& flow, const FlowGroups& groups, std::size_t n_nodes,
                   const FeatureTransform& transform);

// The cluster that a node was in, or -1, and how settled that is, from 0 to 1.
struct Memory {
  std::int64_t id = -1;
  double settled = 0.0;
};

// Groups with memory: what was one cluster is divided only where its prominence is above the threshold by four standard
// errors of the counts involved; fewer, in proportion, where the cluster is not settled. Per node the group, or -1.
// Returns how many there are.
std::size_t remembered_groups(const Flow& flow, const FlowGroups& groups, std::int64_t unit,
                              std::span<const Memory> memory, std::span<const double> support,
                              std::vector<std::int32_t>& cluster);

// Parts: greedy modularity of the flow; they divide continua too.
NodeMap map_parts(const Flow& flow, std::size_t n_nodes, const FeatureTransform& transform);

}  // namespace phida
