// Rows as points on a grid of 16-bit integers, in a quarter of the memory of doubles. A sieve over them leaves the
// few rows that can be nearest to a query.
//
// The grid has a centre per feature and one step, in the metric: the coordinate of a value x is the whole number P(x)
// nearest to v = (x - centre) * factor, where factor = scaling / step. All distances below are in steps.
//
// Proof that the nearest row is left. Let e(x) be the distance between a row's exact (x - centre) * factor and P(x).
// The triangle inequality gives |d(q, r) - D(q, r)| <= e(q) + e(r), for the distance d of rows and D of their grid
// points. Let m be any row and r the one with the smallest d. Then D(r) <= d(r) + e(q) + e(r) <= d(m) + e(q) + e(r)
// <= D(m) + 2 e(q) + e(m) + e(r). So the reach beyond D(m) is twice the error of the query plus twice the largest error
// of a row. The fewest rows are left if m has the smallest D. The same holds for r among the two nearest, if m is one of
// the two rows with the smallest D, that with the larger d: it is at least as far as the second nearest row.
//
// D^2 is exact: a sum of squares of integers below 2^31. Without early ends it is computed as |P(r)|^2 - 2 P(q) P(r), which
// is D^2 less the norm of the query. Norms are at most 2^29, so partial sums stay within 3 * 2^29. Coordinates are below
// 2^14, so twice a coordinate has 16 bits, and the sum of two products 32.
//
// The rest is rounding, and less than kRoundingSteps altogether:
// - v is rounded three times (factor, difference, product) relative to itself, and |v| <= 2^14.
// - "Nearest" means the smallest square as summed in doubles, which is off by a factor of at most 1 + (dims + 3) 2^-52.
//   A distance is below 2^15.5, which leaves dims 2^-36 steps.
// - The step is neither so small that squares underflow, nor so large that they overflow.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

// Working memory and result of a search.
struct GridSearch {
  std::vector<std::int16_t> place;
  std::vector<std::int32_t> squares, candidates;
  std::int32_t norm = 0, least = 0;
  double off = std::numeric_limits<double>::infinity();
  bool given_up = false;  // whether squares of far rows are missing
};

// Squared distances on the grid from one query to all rows. A row's distance to the query is within
// step * (off + row_off) of step * sqrt(square(row)), but for rounding (kRoundingSteps). Rows without a grid point have
// the largest integer.
struct GridSquares {
  std::span<const std::int32_t>
      less;  // less `norm`; empty if there is no grid or the query is outside
  std::int32_t norm = 0;
  double off = 0.0, row_off = 0.0, step = 0.0;

  static constexpr std::int32_t kHidden = std::numeric_limits<std::int32_t>::max();
  std::int32_t square(std::size_t row) const {
    return less[row] == kHidden ? kHidden : less[row] + norm;
  }
};

// Queries that are compared with all rows in one pass, since reading the rows takes longest. The squares stay those of
// the rows as they are now.
struct GridBatch {
  static constexpr std::size_t kMost = 16;

  std::size_t size = 0;
  std::size_t stride = 0;  // of squares
  std::vector<std::int16_t, CacheAligned<std::int16_t>>
      points;  // (pair, query, 2), times -2: a block of 16 queries
  std::int32_t norm[kMost] = {};
  double off[kMost] = {};  // distance to the grid point; infinity outside of the grid
  // The square of a row that is near the query, if not the nearest: after an update another may be nearer.
  std::int32_t least[kMost] = {};
  // (query, row): less the norm of the query, as `least`
  std::vector<std::int32_t, CacheAligned<std::int32_t>> squares;
  std::vector<std::int16_t> place;
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

  // The rows that can be among the `count` (1 or 2) nearest to a query, which is padded with zeros. The distances that
  // decide may differ from the exact ones by up to `error`. Empty if the grid cannot decide, else at least `count`.
  std::span<const std::int32_t> sieve(const double* query, GridSearch& search,
                                      std::size_t count = 1, double error = 0.0) const;

  // Compares the queries from the given one on, at most GridBatch::kMost, with all rows. There must be a grid.
  void measure(const RowMatrix& queries, std::size_t from, GridBatch& batch) const;

  // Updates the squares to the row that was set or appended last.
  void update_last(GridBatch& batch) const;

  // The same as for a single query.
  std::span<const std::int32_t> sieve(const GridBatch& batch, std::size_t query,
                                      GridSearch& search) const;

  // Squares of the last single query, to the rows of that time, and of a query of a batch, to the rows of now.
  GridSquares squares(GridSearch& search) const;
  GridSquares squares(const GridBatch& batch, std::size_t query) const;

  // Counts a query for which the grid failed. Rows that leave the grid are counted elsewhere.
  void note_failure() { ++failures_; }

  // Whether the grid failed so often that it should be rebuilt.
  bool is_worn() const { return failures_ >= kMostFailures; }

 private:
  static constexpr std::size_t kMostFailures = 64;

  void lay(const RowMatrix& rows, std::span<const std::int32_t> members, const double* scaling);
  void resize(std::size_t rows);
  std::size_t blocks() const { return norms_.size() / 16; }
  void measure(GridSearch& search) const;
  void hide_last(GridBatch& batch) const;
  double reach(double off) const;
  std::span<const std::int32_t> with_outside(std::size_t found, GridSearch& search) const;

  std::size_t dims_, pairs_;
  double step_ = 0.0;
  double most_;          // largest coordinate of a grid point, so that no sum of squares overflows
  bool usable_ = false;  // whether there is a step
  AlignedDoubles centre_, factor_;
  std::size_t rows_ = 0;
  std::vector<std::int16_t, CacheAligned<std::int16_t>>
      blocks_;  // (block of 16 rows, pair, row, 2); zeros for rows without a grid point
  // Sum of squared coordinates; the largest integer for rows without a grid point.
  std::vector<std::int32_t, CacheAligned<std::int32_t>> norms_;
  std::vector<std::int32_t> outside_;  // rows outside the grid: always candidates
  double squared_error_ = 0.0;         // maximum over the rows
  std::size_t failures_ = 0;
  std::size_t last_ = 0;  // the row that was set last, and its coordinates
  std::vector<std::int16_t> place_;
};

}  // namespace phida
