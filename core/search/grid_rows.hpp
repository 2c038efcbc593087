// Rows as points on a grid of 16-bit integers, in a quarter of the memory of doubles. A sieve over them leaves the
// few rows that can be nearest to a query.
//
// The grid has a centre per feature and one step, in the metric: the coordinate of a value x is the whole number P(x)
// nearest to v = (x - centre) * factor, where factor = scaling / step. All distances below are in steps.
//
// Proof that the nearest row is left. Let e(x) be the distance between a row's exact (x - centre) * factor and P(x).
// The triangle inequality gives |d(q, r) - D(q, r)| <= e(q) + e(r), for the distance d of rows and D of their grid
// points. D is exact: sums of squares of integers that stay below 2^31. Let m be the row with the smallest D and r
// the one with the smallest d. Then D(r) <= d(r) + e(q) + e(r) <= d(m) + e(q) + e(r) <= D(m) + 2 e(q) + e(m) + e(r).
// So the reach beyond the smallest D is twice the error of the query plus twice the largest error of a row.
//
// The rest is rounding, and less than kRoundingSteps altogether:
// - v is rounded three times (factor, difference, product) relative to itself, and |v| <= 2^14.
// - "Nearest" means the smallest square as summed in doubles, which is off by a factor of at most 1 + (dims + 3) 2^-52.
//   A distance is below 2^15.5, which leaves dims 2^-36 steps.
// - The step is neither so small that squares underflow, nor so large that they overflow.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

// Working memory and result of a search.
struct GridSearch {
  std::vector<std::int16_t> place;
  std::vector<std::int32_t> squares, candidates;
};

class GridRows {
 public:
  GridRows() : GridRows(0) {}
  explicit GridRows(std::size_t dims);

  // Builds the grid over these rows, in this order. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, std::span<const std::int32_t> members, const double* scaling);
  void append(const double* row);
  void set(std::size_t row, const double* values);

  // Whether there is a grid. There is none for rows at one place, or so far apart that squares overflow.
  bool is_laid() const { return usable_; }

  // The rows that can be nearest to a query, which is padded with zeros. Empty if the grid cannot decide, else at
  // least one.
  std::span<const std::int32_t> sieve(const double* query, GridSearch& search) const;

  // Counts a query for which the grid failed. Rows that leave the grid are counted elsewhere.
  void note_failure() { ++failures_; }

  // Whether the grid failed so often that it should be rebuilt.
  bool is_worn() const { return failures_ >= kMostFailures; }

 private:
  static constexpr std::size_t kMostFailures = 64;

  void lay(const RowMatrix& rows, std::span<const std::int32_t> members, const double* scaling);
  void resize(std::size_t rows);

  std::size_t dims_, pairs_;
  double most_;          // largest coordinate of a grid point, so that no sum of squares overflows
  bool usable_ = false;  // whether there is a step
  AlignedDoubles centre_, factor_;
  std::size_t rows_ = 0;
  std::vector<std::int16_t, CacheAligned<std::int16_t>>
      blocks_;  // (block of 16 rows, pair, row, 2)
  // 0, or all bits for rows without a grid point
  std::vector<std::int32_t, CacheAligned<std::int32_t>> hidden_;
  std::vector<std::int32_t> outside_;  // rows that have left the grid: always candidates
  double squared_error_ = 0.0;         // maximum over the rows
  std::size_t failures_ = 0;
  std::vector<std::int16_t> place_;
};

}  // namespace phida
