// First and third Hazen quartiles of every column of a set of rows that changes little from one call to the next.
//
// Sorting each column again costs more than all the rest of learning. Instead, one pass counts the rows around the last
// answer (the pivot) and remembers two neighbours on each side: enough unless the answer moved by more than two ranks.
// Rows that were only added since then are taken in without looking at the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/hazen_quantile.hpp"
#include "numeric/row_matrix.hpp"
#include "simd/kernels.hpp"

namespace phida {

class ColumnQuartiles {
 public:
  // Computes both quartiles of the rows that `members` names, at least one. The first `unchanged` of them are the same,
  // with the same values, as all members of the last call; 0 is always right.
  void update(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t unchanged);

  double first(std::size_t column) const { return quartile_[0][column]; }
  double third(std::size_t column) const { return quartile_[1][column]; }

 private:
  bool resolve(std::size_t column, std::size_t q, const HazenPosition& at, double n);
  void select(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t column,
              std::size_t q);

  AlignedDoubles pivot_[2];       // per column: what ranks_ counts around
  AlignedDoubles next_pivot_[2];  // the order statistic at or below the quartile: the better pivot
  AlignedDoubles quartile_[2];
  std::vector<RankAround> ranks_;  // (group of eight columns, quartile)
  std::size_t counted_ = 0;        // members that ranks_ holds
  std::vector<double> scratch_;
};

}  // namespace phida
