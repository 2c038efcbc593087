// The pruned mutual k nearest neighbour graph (spec section 7, paper appendix A.2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "metric/feature_transform.hpp"
#include "metric/feature_weights.hpp"
#include "metric/value_quartiles.hpp"
#include "numeric/blocked_rows.hpp"
#include "numeric/csr_graph.hpp"
#include "topology/neighbour_lists.hpp"

namespace phida {

// Vertices are positions in the list of members that the graph was built from.
struct KnnGraph {
  std::size_t k = 0;                    // neighbours per row
  std::vector<std::int32_t> candidate;  // (row, rank): the k nearest, nearest first
  std::vector<double> distance;         // their distances delta
  std::vector<double> row_threshold;    // longest edge allowed by the row's own distances
  double global_threshold = 0.0;        // longest edge allowed by all candidates together
  CsrGraph edges;                       // pairs that retain each other

  std::size_t size() const { return row_threshold.size(); }
};

// k = max(1, min(ceil(sqrt(ln n)), n - 1)) for n rows.
std::size_t neighbour_count(std::size_t n);

// Builds graphs one after another in the same memory.
class KnnGraphBuilder {
 public:
  // Builds the graph over the rows in `members`; `transform` is the one defined by those rows. With `weights`,
  // distances include the penalty of the node-wise feature weights if gamma > 0. With `stamps` (per row; see
  // NeighbourLists), rows that have not moved since the last call keep their neighbours.
  void build(const RowMatrix& rows, std::span<const std::int32_t> members,
             const FeatureTransform& transform, const std::optional<WeightSource>& weights,
             std::span<const std::int64_t> stamps, KnnGraph& graph);

 private:
  void search(const RowMatrix& rows, std::span<const std::int32_t> members,
              const FeatureTransform& transform, bool penalise, KnnGraph& graph);
  void take_lists(std::span<const std::int32_t> members, KnnGraph& graph);
  void weigh(const RowMatrix& rows, std::span<const std::int32_t> members,
             const WeightSource& source);
  void find_penalised(const RowMatrix& rows, std::span<const std::int32_t> members,
                      const FeatureTransform& transform, std::size_t vertex, std::size_t k);
  double penalised_between(const RowMatrix& rows, std::span<const std::int32_t> members,
                           const FeatureTransform& transform, std::size_t p, std::size_t q) const;
  void offer(Neighbour neighbour, std::size_t k);
  void fill_up(std::size_t p, std::size_t n, std::size_t k);
  void prune(KnnGraph& graph);

  NeighbourLists lists_;
  std::vector<std::int32_t> vertex_;  // per row
  BlockedRows blocks_;
  RowMatrix weights_;
  AlignedDoubles variance_;
  AlignedDoubles squares_;
  std::vector<std::int32_t> found_;
  std::vector<Neighbour> nearest_;
  ValueQuartiles all_distances_;
  std::vector<std::uint8_t> retained_;  // per vertex
  std::vector<std::uint8_t> degree_;    // per vertex
};

}  // namespace phida
