// What CAE and CAEA share: the correntropy-induced metric (CIM) between samples and nodes, and its bandwidth.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

// The bandwidth that a set of rows asks for: the median over the features of Silverman's rule. A feature that does not
// vary counts with a standard deviation of 1e-6.
double silverman_bandwidth(std::span<const double* const> rows, std::size_t dims);

// Winner and runner-up in CIM. With one node there is no runner-up, at an infinite distance.
struct TwoClosest {
  std::int32_t first = -1;
  std::int32_t second = -1;
  double first_distance = std::numeric_limits<double>::infinity();
  double second_distance = std::numeric_limits<double>::infinity();
};

// CIM from a query to all nodes, with working memory.
class Correntropy {
 public:
  // Valid until the next call.
  std::span<const double> distances(const double* query, const NodePositions& nodes,
                                    double bandwidth);

  // Equal distances go to the lower index. There must be a node.
  TwoClosest closest_two(const double* query, const NodePositions& nodes, double bandwidth);

 private:
  AlignedDoubles distances_;
};

// The bandwidth of every CIM: the mean of the nodes' own.
double mean_bandwidth(std::span<const double> bandwidths);

// The nodes that have an edge, ascending.
std::vector<std::size_t> linked_nodes(const AgedGraph& graph);

// Prediction: the component of the closest node.
void assign_closest(Correntropy& correntropy, const NodePositions& nodes, double bandwidth,
                    const Components& components, const double* rows, std::size_t n,
                    std::int64_t* labels);

}  // namespace phida::systems
