// Densities at one scale, of a set of nodes and of the middles of the edges between them (spec section 13).
//
// The scale k is a number of neighbours. A density is a mass over a volume: the mass of the k nearest nodes, over the
// volume that their mean squared distance gives in the local dimension. Heights are logarithms of densities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topology/node_distances.hpp"

namespace phida {

// What the nodes are, in the metric. All of one length, at least one.
struct DensityInput {
  const RowMatrix& place;            // z
  std::span<const double> weight;    // w
  std::span<const double> variance;  // v: mean squared distance of a node's rows to it
};

// Ends are positions in the set, a < b.
struct DensityEdge {
  std::int32_t a = 0, b = 0;
  double square = 0.0;  // of its length
  double height = 0.0;  // at its middle
  double mass = 0.0;    // that the height was measured over
};

struct Density {
  std::size_t k = 0;
  double dimension = 1.0;          // m, local
  double inverse_dimension = 1.0;  // 1 / D, coarse
  std::vector<double> height;      // per node
  std::vector<double> mass;        // per node: that the height was measured over
  std::vector<DensityEdge> edges;
};

// Neighbours that a node has edges to.
constexpr std::size_t kDensityEdges = 10;

// How many neighbours of each node a scale looks at.
constexpr std::size_t width_of(std::size_t k) {
  return 2 * k > kDensityEdges ? 2 * k : kDensityEdges;
}

class DensityEstimator {
 public:
  DensityEstimator(const DensityInput& input, const NodeDistances& distances)
      : input_(input),
        distances_(distances),
        position_(distances.size(), -1),
        seen_(distances.size(), -1) {}

  // The densities of the nodes named in `members` (ascending), more than one, among themselves.
  Density measure(std::span<const std::int32_t> members, std::size_t k);

 private:
  void find_neighbours(std::span<const std::int32_t> members, std::size_t width);
  double local_dimension(std::size_t n, std::size_t k);
  double inverse_dimension(std::span<const std::int32_t> members, std::size_t k);
  void measure_nodes(std::span<const std::int32_t> members, Density& out) const;
  void measure_edges(std::span<const std::int32_t> members, Density& out);
  std::span<const NearRow> near(std::size_t i) const { return {near_.data() + i * width_, width_}; }

  const DensityInput& input_;
  const NodeDistances& distances_;
  std::vector<std::int32_t> position_;  // per node: in the set at hand, or -1
  std::size_t width_ = 0;
  std::vector<NearRow> near_;  // (position, place): nodes of the set
  std::vector<std::int32_t> seen_;
  std::vector<NearRow> around_;
  std::vector<double> ratios_;
};

}  // namespace phida
