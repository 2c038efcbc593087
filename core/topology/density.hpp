// Densities of a set of nodes, and of the middles of the edges between them, at one scale (spec section 13).
//
// The scale k is a number of neighbours. A density is a mass over a volume: the mass of the nearest nodes, over the
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

// How the number of rows around a place grows with the distance from it.
struct Dimensions {
  double local = 1.0;           // m
  double inverse_coarse = 1.0;  // 1 / D
};

struct Density {
  Dimensions dimensions;
  std::vector<double> height;  // per node
  std::vector<double> mass;    // per node: that the height was measured over
  std::vector<DensityEdge> edges;
};

// Neighbours that a node has edges to.
constexpr std::size_t kDensityEdges = 10;

// How many neighbours of each node a scale looks at.
constexpr std::size_t width_of(std::size_t k) {
  return 2 * k > kDensityEdges ? 2 * k : kDensityEdges;
}

// A set of nodes whose densities only depend on each other. A scale k needs more than 2k nodes, and more than 3.
class NodeSet {
 public:
  // Nodes are ascending. `width` is that of the largest scale.
  NodeSet(const DensityInput& input, const NodeDistances& distances,
          std::vector<std::int32_t> nodes, std::size_t width);

  const std::vector<std::int32_t>& nodes() const { return nodes_; }

  Dimensions dimensions(std::size_t k);
  Density measure(std::size_t k, const Dimensions& dimensions);

 private:
  struct Around {
    double mass = 0.0;
    double squares = 0.0;
  };

  std::span<const NearRow> near(std::size_t i, std::size_t width) const {
    return {near_.data() + i * width_, width};
  }
  void find_neighbours(const NodeDistances& distances);
  void find_probes();
  double local_dimension(std::size_t k) const;
  double inverse_coarse_dimension(std::size_t k);
  void add_nearest(std::span<const NearRow> others, std::size_t count, Around& around) const;
  std::size_t enough(std::span<const NearRow> others, std::size_t least, std::size_t k,
                     double mass) const;
  std::size_t sort_enough(std::size_t least, std::size_t k, double mass);
  void measure_edge(std::size_t i, const NearRow& end, std::size_t k, std::size_t width,
                    Density& out);

  const DensityInput& input_;
  const NodeDistances& distances_;
  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> position_;  // per node of all: in the set, or -1
  double total_ = 0.0;                  // weight of the set
  std::size_t width_;
  std::vector<NearRow> near_;    // (position, place): nodes of the set, nearest first
  std::vector<NearRow> probes_;  // (probe, place): all nodes of the set, nearest first

  // Memory to work in.
  std::vector<NearRow> around_, pending_;
  std::vector<double> square_to_a_;  // per node of all: to the first end, if on its list
  std::vector<std::size_t>
      listed_by_a_;  // per node of all: 1 + the position of the latest end that lists it
  std::vector<std::int64_t>
      listed_at_;          // per node of all: the latest edge whose second end lists it
  std::int64_t edge_ = 0;  // number of the edge at hand
};

}  // namespace phida
