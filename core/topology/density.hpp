// Densities of a set of nodes, and of the middles of the edges between them, at one scale (spec section 13).
//
// The scale k is a number of neighbours. A density is a mass over a volume: the mass of the nearest nodes, over the
// volume that their mean squared distance gives in the local dimension. Heights are logarithms of densities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "topology/edge_middles.hpp"
#include "topology/node_distances.hpp"

namespace phida {

// The nodes in the metric. All of one length, at least one.
struct DensityInput {
  const RowMatrix& place;            // z
  std::span<const double> weight;    // w
  std::span<const double> variance;  // v: mean squared distance of a node's rows to it
};

// Growth of the number of rows around a point with the distance from it.
struct Dimensions {
  double local = 1.0;           // m
  double inverse_coarse = 1.0;  // 1 / D
};

struct Density {
  Dimensions dimensions;
  AlignedDoubles height;  // per node
  AlignedDoubles mass;    // per node: the mass that the height was measured over
  std::vector<DensityEdge> edges;
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
  // Nodes are ascending. `width` is that of the largest scale. `memory` serves one set at a time.
  NodeSet(const DensityInput& input, const NodeDistances& distances,
          std::vector<std::int32_t> nodes, std::size_t width, LargeDoubles& memory);
  NodeSet(const NodeSet&) = delete;
  NodeSet& operator=(const NodeSet&) = delete;

  const std::vector<std::int32_t>& nodes() const { return nodes_; }

  Dimensions dimensions(std::size_t k);
  Density measure(std::size_t k, const Dimensions& dimensions);

 private:
  // Constants of one scale.
  struct Scale {
    std::size_t k = 1;
    std::size_t width = 1;   // number of neighbours used
    double goal = 0.0;       // mass of a neighbourhood
    double dimension = 1.0;  // m
  };

  // The weight of the nodes up to a distance.
  struct Reached {
    double weight = 0.0;
    double square = 0.0;
  };

  // Mass around a point, and squared distances from it times the mass.
  struct Around {
    double mass = 0.0, squares = 0.0;
  };

  std::span<const double> squares_from(std::size_t i);
  void find_neighbours();
  void need_neighbours(std::size_t width);
  void list_neighbours(std::size_t i, std::span<const NearRow> nearest);
  void find_edges();
  void find_probes();
  double local_dimension(std::size_t k) const;
  double inverse_coarse_dimension(std::size_t k);
  void measure_nodes(const Scale& scale, Density& out);
  void measure_edges(const Scale& scale, Density& out);
  void measure_edge(std::size_t e, const Scale& scale);
  bool add_nearest(std::span<const NearRow> nearest, const Scale& scale, Around& around) const;
  bool has_enough(const Scale& scale, std::size_t count, double mass) const {
    return count + 1 >= scale.k && mass >= scale.goal;
  }

  const DensityInput& input_;
  const NodeDistances& distances_;
  LargeDoubles& memory_;
  std::vector<std::int32_t> nodes_;
  std::vector<std::int32_t> position_;  // per node of all: in the set, or -1
  double total_ = 0.0;                  // weight of the set
  std::size_t width_;
  NearLists lists_;                  // nodes of the set
  std::vector<std::size_t> n_near_;  // per position: number of known ones
  std::vector<DensityEdge> edges_;   // not yet measured
  std::optional<EdgeMiddles> middles_;
  std::vector<Reached> reached_;  // per probe, the nearest node first, up to half of the weight
  std::vector<std::size_t> end_of_probe_;  // in `reached_`

  // Working memory.
  NearOrder order_;
  std::vector<NearRow> found_;
  std::vector<std::size_t> n_used_;  // per position: neighbours that its height was measured over
  AlignedDoubles mass_, squares_;    // per node or edge
  AlignedDoubles line_;
  BlockedRows blocks_;  // the set, if squares are not kept
};

}  // namespace phida
