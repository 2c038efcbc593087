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

// The nodes in the metric. All of one length, at least one.
struct DensityInput {
  const RowMatrix& place;            // z
  std::span<const double> weight;    // w
  std::span<const double> variance;  // v: mean squared distance of a node's rows to it
};

// Ends are positions in the set, a < b.
struct DensityEdge {
  std::int32_t a = 0, b = 0;
  double square = 0.0;   // square of its length
  double mass = 0.0;     // mass around its middle
  double squares = 0.0;  // squared distances from its middle, times the mass
};

// Growth of the number of rows around a point with the distance from it.
struct Dimensions {
  double local = 1.0;           // m
  double inverse_coarse = 1.0;  // 1 / D
};

struct Density {
  Dimensions dimensions;
  std::vector<double> height;  // per node
  std::vector<double> mass;    // per node: the mass that the height was measured over
  std::vector<DensityEdge> edges;

  // Height at the middle of an edge. Few edges decide, so it is computed on demand.
  double height_at(const DensityEdge& edge) const;

  // An upper bound of that height, too high by at most a few millionths; infinity if the height is not finite.
  float bound_at(const DensityEdge& edge) const;
};

// Number of neighbours that a node has edges to.
constexpr std::size_t kDensityEdges = 10;

// Number of neighbours of each node used at a scale.
constexpr std::size_t width_of(std::size_t k) {
  return 2 * k > kDensityEdges ? 2 * k : kDensityEdges;
}

// A set of nodes whose densities depend only on each other. A scale k needs more than 2k nodes, and more than 3.
class NodeSet {
 public:
  // Nodes are ascending. `width` is that of the largest scale.
  NodeSet(const DensityInput& input, const NodeDistances& distances,
          std::vector<std::int32_t> nodes, std::size_t width);

  const std::vector<std::int32_t>& nodes() const { return nodes_; }

  Dimensions dimensions(std::size_t k);
  Density measure(std::size_t k, const Dimensions& dimensions);

 private:
  // Constants of one scale.
  struct Scale {
    std::size_t k = 1;
    std::size_t width = 1;  // number of neighbours used
    double goal = 0.0;      // mass of a neighbourhood
  };

  // A node on the list of one end, whose square to the other end is not known yet.
  struct Pending {
    double bound = 0.0;   // lower bound of its square to the middle
    double square = 0.0;  // square to the end that lists it
    std::int32_t row = 0;
  };

  std::span<const NearRow> near(std::size_t i, std::size_t width) const {
    return {near_.data() + i * width_, width};
  }
  std::span<const double> squares_from(std::size_t i);
  void find_neighbours();
  void need_neighbours(std::size_t width);
  void find_edges();
  void find_probes();
  double local_dimension(std::size_t k) const;
  double inverse_coarse_dimension(std::size_t k);
  void measure_nodes(const Scale& scale, Density& out) const;
  void measure_edges(const Scale& scale, std::vector<DensityEdge>& edges);
  void list_first_end(std::size_t i, std::size_t width);
  void forget_first_end(std::size_t i, std::size_t width);
  bool measure_edge(std::size_t i, std::size_t j, const Scale& scale, bool limited,
                    DensityEdge& edge);
  std::size_t collect(std::size_t i, std::size_t j, const Scale& scale, bool limited,
                      double quarter, double own);
  bool has_enough(const Scale& scale, std::size_t count, double mass) const {
    return count + 1 >= scale.k && mass >= scale.goal;
  }

  const DensityInput& input_;
  const NodeDistances& distances_;
  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> position_;  // per node of all: in the set, or -1
  double total_ = 0.0;                  // weight of the set
  std::size_t width_;
  std::vector<NearRow> near_;         // (position, place): nodes of the set, nearest first
  std::vector<std::size_t> n_near_;   // per position: number of known ones
  std::vector<DensityEdge> edges_;    // not yet measured, ordered by first end
  std::vector<std::size_t> n_edges_;  // per position: number of edges of which it is the first end
  std::vector<NearRow> probes_;       // (probe, place): all nodes of the set, nearest first

  // Working memory.
  NearOrder order_;
  std::vector<NearRow> around_;
  std::vector<Pending> pending_;
  std::vector<double> far_;  // squares of nodes that are on one list only, to its end
  std::vector<std::int32_t> far_row_;
  AlignedDoubles square_to_far_;  // from the other end
  AlignedDoubles line_;
  BlockedRows blocks_;  // the set, if squares are not kept
  // per node of all: square if on the first end's list, or -1
  std::vector<double> square_to_first_;
  std::vector<std::uint16_t> place_of_first_;  // per node of all: place on that list, or width_
  std::vector<std::uint8_t> on_both_;          // per place on the first end's list, and width_
};

}  // namespace phida
