// From nodes to output clusters, by the paper's rule or by that of nodes that win together.
#pragma once

#include "mapping/node_map.hpp"
#include "nodes/node_state.hpp"
#include "learning/refresh.hpp"

namespace phida {

// The map by the rule that is wanted, or by the paper's where no two nodes ever won together.
NodeMap map_nodes(const NodeState& nodes, const PhView& ph, Mapping wanted);

}  // namespace phida
