// The nodes around the middles of edges (spec section 13.2).
//
// By the median theorem, the square of a node's distance to the middle of an edge follows from those to both ends.
// Candidates are the nodes on the lists of both ends. So two sets of squares are needed besides the lists: those of each
// end to the nodes on the list of the other one, here called the halves of the edge. They serve for all scales.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/large_doubles.hpp"
#include "topology/node_distances.hpp"

namespace phida {

// Ends are positions in the set, a < b.
struct DensityEdge {
  std::int32_t a = 0, b = 0;
  double square = 0.0;  // square of its length
  double mass = 0.0;    // around its middle
  double height = 0.0;  // at its middle
};

// For each node of a set the nearest other ones, nearest first.
struct NearLists {
  NearLists(std::size_t n, std::size_t length)
      : stride(padded(length)), square(n * stride), row(n * stride) {}

  const double* squares(std::size_t i) const { return square.data() + i * stride; }
  const std::int32_t* rows(std::size_t i) const { return row.data() + i * stride; }
  NearRow at(std::size_t i, std::size_t place) const { return {squares(i)[place], rows(i)[place]}; }

  std::size_t stride;
  AlignedDoubles square;          // (position, place)
  std::vector<std::int32_t> row;  // (position, place)
};

class EdgeMiddles {
 public:
  // Edges at a time: their halves take up to 1 KB each.
  static constexpr std::size_t kMostEdges = 1 << 15;

  // `memory` is that of the halves. It serves one object at a time.
  EdgeMiddles(const RowMatrix& place, const NodeDistances& distances,
              std::span<const std::int32_t> nodes, const NearLists& lists,
              std::span<const DensityEdge> edges, LargeDoubles& memory);

  // Measures the halves of up to kMostEdges consecutive edges for lists of `width` nodes.
  void measure(std::size_t first, std::size_t last, std::size_t width);

  // Computes the squares of all candidates to the middle of a measured edge.
  void set_edge(std::size_t edge, std::size_t width);

  // The candidates of that edge, nearest first: at least the first ones, and probably `likely` of them or more.
  std::span<const NearRow> nearest(std::size_t likely);

  // All candidates.
  std::span<const NearRow> all();

 private:
  // The squares of one end to the list of the other one, the owner.
  struct Half {
    std::uint32_t edge = 0, of = 0;  // the owner is b for 0, and a for 1
  };

  double* half(std::size_t edge, std::size_t of) {
    return halves_.data() + (2 * (edge % kMostEdges) + of) * lists_.stride;
  }
  std::size_t owner(const Half& half) const {
    const DensityEdge& edge = edges_[half.edge];
    return static_cast<std::size_t>(half.of == 0 ? edge.b : edge.a);
  }
  std::size_t point(const Half& half) const { return owner({half.edge, 1 - half.of}); }
  void sort_halves(std::size_t first, std::size_t last);
  void look_up(std::size_t point, std::span<const Half> halves, std::size_t from, std::size_t to);
  void measure_to_list(std::size_t owner, std::span<const Half> halves, std::size_t from,
                       std::size_t to);
  void leave_out_point(const Half& of, std::size_t from, std::size_t to);
  std::span<const NearRow> within(double limit);

  const RowMatrix& place_;
  const NodeDistances& distances_;
  const std::span<const std::int32_t> nodes_;
  const NearLists& lists_;
  const std::span<const DensityEdge> edges_;
  LargeDoubles& halves_;   // (edge, of, place): infinity for the ends
  std::size_t known_ = 0;  // number of places that are known, if the memory holds all edges

  std::vector<Half> of_owner_;             // grouped by their owner
  std::vector<std::uint32_t> first_half_;  // per position
  AlignedDoubles blocks_;                  // one list

  // Of one edge.
  std::size_t edge_ = 0, width_ = 0;
  AlignedDoubles middle_;  // squares to the middle: of the list of b, and of that of a
  std::vector<std::int32_t> found_;
  std::vector<NearRow> around_;
  NearOrder order_;
  double share_ = 1.0;  // ratio of recent limits to the expected ones, smoothed
};

}  // namespace phida
