// The maps of PHIDA+ from nodes to clusters, at either level. Not in the paper.
#pragma once

#include "mapping/flow.hpp"
#include "mapping/flow_groups.hpp"
#include "mapping/node_map.hpp"

namespace phida {

// Groups: what a visible gap separates. `transform` is the metric of the flow's members, of which there is at least one.
NodeMap map_groups(const Flow& flow, const FlowGroups& groups, std::size_t n_nodes,
                   const FeatureTransform& transform);

// Parts: greedy modularity of the flow; they divide continua too.
NodeMap map_parts(const Flow& flow, std::size_t n_nodes, const FeatureTransform& transform);

}  // namespace phida
