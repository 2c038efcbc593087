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
  const auto compact = [&](auto& values) {
    for (std::size_t to = 0; to < kept.size(); ++to) values[to] = values[kept[to]];
    values.resize(kept.size());
  };
  compact(nodes.support);
  compact(nodes.scale);
  compact(nodes.active);
  compact(nodes.birth);
  compact(nodes.id);
  compact(nodes.component);
  compact(nodes.stamp);
  nodes.lineage.keep(kept);
}

}  // namespace phida
