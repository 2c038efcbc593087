// From nodes to output clusters, by the paper's rule or by that of nodes that win together.
#pragma once

#include <cstdint>

#include "mapping/node_map.hpp"
#include "nodes/node_state.hpp"
#include "refresh.hpp"

namespace phida {

enum class Mapping : std::uint8_t { kPersistence, kCoactivation };

// The map by the rule that `mapping` names; where no two nodes ever won together that is the paper's, and `mapping` says
// so.
NodeMap map_nodes(const NodeState& nodes, const PhView& ph, Mapping& mapping);

}  // namespace phida
