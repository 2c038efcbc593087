// The correntropy-induced metric (CIM) between samples and nodes, and its bandwidth: shared by CAE and CAEA.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

// The bandwidth for a set of rows: the median over the features of Silverman's rule. A constant feature counts with a
// standard deviation of 1e-6.
double silverman_bandwidth(std::span<const double* const> rows, std::size_t dims);

// Winner and runner-up in CIM. With a single node, the runner-up's distance is infinite.
struct TwoClosest {
  std::int32_t first = -1;
  std::int32_t second = -1;
  double first_distance = std::numeric_limits<double>::infinity();
  double second_distance = std::numeric_limits<double>::infinity();
};

// sqrt(1 - mean over features of exp(-(x - y)^2 / (2 bandwidth^2))) of `query` to every row of `blocks`; 1 for lanes
// without a row.
using CorrentropyKernel = void (*)(const double* query, const double* blocks, std::size_t n_blocks,
                                   std::size_t dims, double bandwidth, double* out);

// The kernel of a level that this processor has. All give the same bits.
CorrentropyKernel correntropy_kernel(std::string_view level);

// CIM from a query to all nodes, with working memory.
class Correntropy {
 public:
  // Valid until the next call.
  std::span<const double> distances(const double* query, const NodePositions& nodes,
                                    double bandwidth);

  // Equal distances go to the lower index. Requires at least one node.
  TwoClosest closest_two(const double* query, const NodePositions& nodes, double bandwidth);

 private:
  AlignedDoubles distances_;
};

// The bandwidth of every CIM: the mean of the nodes' bandwidths.
double mean_bandwidth(std::span<const double> bandwidths);

// The nodes with an edge, ascending.
std::vector<std::size_t> linked_nodes(const AgedGraph& graph);

// Predicts the component of the closest node.
void assign_closest(Correntropy& correntropy, const NodePositions& nodes, double bandwidth,
                    const Components& components, const double* rows, std::size_t n,
                    std::int64_t* labels);

}  // namespace phida::systems
