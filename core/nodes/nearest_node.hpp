// The nearest fine node to a row, exactly: by squared distance, summed feature by feature; ties to the lower index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/grid_rows.hpp"

namespace phida {

struct Nearest {
  std::int32_t node = 0;
  double square = 0.0;
};

class NearestNode {
 public:
  // Most queries that may be queued.
  static constexpr std::size_t kMostQueued = GridBatch::kMost;

  explicit NearestNode(std::size_t dims);

  // Replaces all rows. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, const double* scaling);
  void append(const double* row);
  void set(std::size_t node, const double* row);

  // `rows` must be those given to the search, at least one. `query` is padded with zeros.
  Nearest find(const double* query, const RowMatrix& rows);

  // Replaces the queue by `n` queries of `dims` values each. Queued queries are compared with the rows together, and their
  // results are those of the rows at the time of each search.
  void queue(const double* queries, std::size_t n);

  // The query at the head of the queue, padded with zeros.
  const double* head() const { return queue_[head_]; }

  // Removes the head of the queue.
  void pop() { ++head_; }

  Nearest find_head(const RowMatrix& rows);

  // Squared distances on the grid from the head of the queue, after find_head, to all rows of that time, or of now. Empty
  // if the query has no place on the grid. Valid until the next call.
  GridSquares squares_of_head();

 private:
  void lay_grid(const RowMatrix& rows);
  Nearest nearest_of(std::span<const std::int32_t> candidates, const double* query,
                     const RowMatrix& rows);
  std::span<const std::int32_t> sieve_doubles(const double* query, const RowMatrix& rows);
  std::span<const std::int32_t> sieve_again(std::span<const std::int32_t> candidates,
                                            const double* query, const RowMatrix& rows);
  bool is_measured() const { return head_ < measured_from_ + batch_.size; }
  const double* scaling() const { return scaling_.empty() ? nullptr : scaling_.data(); }

  AlignedDoubles scaling_;  // scaling of the metric; empty for none
  GridRows grid_;
  GridSearch search_;
  RowMatrix queue_;
  std::size_t head_ = 0;
  GridBatch batch_;  // of queued queries; empty if the grid has changed
  std::size_t measured_from_ = 0;
  double slack_;  // factor between sums of doubles in different orders
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
};

}  // namespace phida
