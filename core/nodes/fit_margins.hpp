// How well rows fit the nodes as they are, without learning them (the left side of the vigilance test).
#pragma once

#include <cstddef>

#include "metric/moments.hpp"
#include "nodes/node_state.hpp"

namespace phida {

// By how much the similarity of each row to its winner is above the vigilance; a row that is below would become a node.
// In the metric that all nodes define. 0 while there are too few nodes for matching.
void fit_margins(const NodeState& nodes, const Moments& moments, double vigilance,
                 const double* rows, std::size_t n, double* margins);

}  // namespace phida
