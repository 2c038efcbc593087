// How well rows fit the current nodes, without learning them (the left side of the vigilance test).
#pragma once

#include <cstddef>

#include "metric/moments.hpp"
#include "nodes/node_state.hpp"

namespace phida {

// The similarity of each row to its winner minus the vigilance; a row below 0 would become a node. Uses the metric of
// all nodes. 0 if there are too few nodes for matching.
void fit_margins(const NodeState& nodes, const Moments& moments, double vigilance,
                 const double* rows, std::size_t n, double* margins);

}  // namespace phida
