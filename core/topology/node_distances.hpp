// Squared distances between rows, summed feature by feature, and the nearest rows of each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/blocked_rows.hpp"
#include "numeric/large_doubles.hpp"
#include "topology/near_order.hpp"

namespace phida {

class NodeDistances {
 public:
  // Lists the `length` nearest rows of each row, without itself, or all others if there are fewer.
  NodeDistances(const RowMatrix& rows, std::size_t length);

  std::size_t size() const { return rows_.rows(); }

  // The nearest rows, nearest first.
  std::span<const NearRow> nearest(std::size_t row) const {
    return {nearest_.data() + row * length_, length_};
  }

  // Whether all squares are in memory. Otherwise each is computed on demand.
  bool kept() const { return !squares_.empty(); }

  // Squares of a row to all rows, if kept.
  const double* squares(std::size_t row) const { return squares_.data() + row * stride_; }

 private:
  void measure_all(const BlockedRows& blocks);
  void measure_few(const BlockedRows& blocks, std::size_t first, std::size_t last,
                   double* lines) const;

  const RowMatrix& rows_;
  std::size_t length_;
  std::size_t stride_;    // not a power of two: the lines would compete for the same cache sets
  LargeDoubles squares_;  // a line per row
  std::vector<NearRow> nearest_;  // (row, place)
};

}  // namespace phida
