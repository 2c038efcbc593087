// Prediction for systems with connected components as clusters: the component of the nearest node.
#pragma once

#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

inline void assign_nearest(NodePositions& positions, const Components& components,
                           const double* rows, std::size_t n, std::int64_t* labels) {
  for (std::size_t i = 0; i < n; ++i)
    labels[i] = components.of_node[positions.nearest(rows + i * positions.dims())];
}

}  // namespace phida::systems
