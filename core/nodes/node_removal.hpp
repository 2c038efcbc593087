// The only place where node indices change.
#pragma once

#include <span>

#include "nodes/node_state.hpp"

namespace phida {

// Keeps only the nodes listed in `kept` (ascending), in order.
inline void keep_nodes(NodeState& nodes, std::span<const std::size_t> kept) {
  nodes.representative.keep(kept);
  nodes.mean.keep(kept);
  nodes.m2.keep(kept);
  keep_values(nodes.support, kept);
  keep_values(nodes.scale, kept);
  keep_values(nodes.active, kept);
  keep_values(nodes.birth, kept);
  keep_values(nodes.id, kept);
  keep_values(nodes.component, kept);
  keep_values(nodes.stamp, kept);
  nodes.lineage.keep(kept);
}

}  // namespace phida
