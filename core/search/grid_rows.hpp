// Rows as places on a grid of 16-bit integers, a quarter of the memory of doubles. A sieve over them leaves the few rows
// that can be nearest to a query.
//
// The grid has a centre per feature and one step, in the metric: the place of a value x is the whole number P(x) nearest
// to v = (x - centre) * factor, where factor = scaling / step. All distances below are in steps.
//
// Proof that the nearest row is left. Let e(x) be the distance between a row's exact (x - centre) * factor and P(x). The
// triangle inequality gives |d(q, r) - D(q, r)| <= e(q) + e(r), for the distance d of rows and D of their places. D is
// exact: sums of squares of integers that stay below 2^31. Let m be the row whose D is smallest and r the one whose d is.
// Then D(r) <= d(r) + e(q) + e(r) <= d(m) + e(q) + e(r) <= D(m) + 2 e(q) + e(m) + e(r). So the reach beyond the smallest
// D is twice the error of the query plus twice the largest error of a row.
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

// The memory that a search works in, and its result.
struct GridSearch {
  std::vector<std::int16_t> place;
  std::vector<std::int32_t> squares, candidates;
};

class GridRows {
 public:
  GridRows() : GridRows(0) {}
  explicit GridRows(std::size_t dims);

  // Lays the grid over these of the rows, in this order. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, std::span<const std::int32_t> members, const double* scaling);
  void append(const double* row);
  void set(std::size_t row, const double* values);

  // Whether there is a grid: there is none for rows in one place, or so far apart that squares overflow.
  bool is_laid() const { return usable_; }

  // The rows that can be nearest to a query, which is padded with zeros. None if the grid cannot tell, else at least one.
  std::span<const std::int32_t> sieve(const double* query, GridSearch& search) const;

  // Counts a query that the grid could not tell. Rows that leave the grid are counted by themselves.
  void note_failure() { ++failures_; }

  // Whether the grid failed so often that it should be laid anew.
  bool is_worn() const { return failures_ >= kMostFailures; }

 private:
  static constexpr std::size_t kMostFailures = 64;

  void lay(const RowMatrix& rows, std::span<const std::int32_t> members, const double* scaling);
  void resize(std::size_t rows);

  std::size_t dims_, pairs_;
  double most_;          // largest coordinate of a place, so that no sum of squares overflows
  bool usable_ = false;  // there is a step
  AlignedDoubles centre_, factor_;
  std::size_t rows_ = 0;
  std::vector<std::int16_t, CacheAligned<std::int16_t>>
      blocks_;  // (block of 16 rows, pair, row, 2)
  std::vector<std::int32_t, CacheAligned<std::int32_t>> hidden_;  // 0, or all bits for no place
  std::vector<std::int32_t> outside_;  // rows that have been off the grid: always candidates
  double squared_error_ = 0.0;         // the largest of a row
  std::size_t failures_ = 0;
  std::vector<std::int16_t> place_;
};

}  // namespace phida
