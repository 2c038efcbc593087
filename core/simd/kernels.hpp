// The vector kernels: one table of functions per instruction set level, the same bits from each.
//
// Two layouts occur. *Rows* are padded to a multiple of eight and summed in eight lanes that are then added in a
// fixed order. *Blocks* hold eight interleaved rows: value (block, feature, lane); each lane sums its own row's
// features in order. In both, the order of a sum does not depend on the vector width.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phida {

// Ranks of eight values, one per column, among the rows of their columns.
struct RankAround {
  double below[8];              // how many rows are smaller
  double above[8];              // how many are larger
  double largest_below[2][8];   // the two largest of the smaller ones, -infinity for none
  double smallest_above[2][8];  // the two smallest of the larger ones, infinity for none
};

// Rows kept by a sieve: those whose square is at most slack * (d + reach)^2, where d is the second smallest distance.
// Unless `all_squares` is set, rows found to be too far get an infinite square.
struct Sieve {
  double slack = 1.0;
  double reach = 0.0;
  bool all_squares = false;
};

// Products of floats are summed in parts of this many terms, which are then added.
constexpr std::size_t kProductTerms = 128;

struct Kernels {
  const char* level;

  // Squared distances of `query` to every row of `blocks`. With `inverse`, differences are scaled by it first.
  void (*squared_distances)(const double* query, const double* inverse, const double* blocks,
                            std::size_t n_blocks, std::size_t dims, double* squares);

  // Squared distances of `query` to the `n` rows at positions `at` of a matrix, whose rows are padded with zeros to
  // `stride` values, a multiple of eight. `squares` has room for a multiple of eight.
  void (*squares_to_rows)(const double* query, const double* scaling, const double* rows,
                          std::size_t stride, const std::int32_t* at, std::size_t n,
                          double* squares);

  // The `n` rows at positions `at` of such a matrix, as blocks. Lanes without a row repeat the last one.
  void (*blocks_of_rows)(const double* rows, std::size_t stride, const std::int32_t* at,
                         std::size_t n, std::size_t dims, double* blocks);

  // Of all rows of `blocks`, as above, and the rows that can be among the `k` (1 to 6) nearest: every row whose square is within a rounding
  // error of the k-th smallest or below, ascending. The caller orders exactly equal roots. Unless `all_squares` is
  // set, rows found to be too far get an infinite square.
  std::size_t (*nearest)(const double* query, const double* inverse, const double* blocks,
                         std::size_t n_blocks, std::size_t dims, std::size_t k, bool all_squares,
                         double* squares, std::int32_t* rows);

  // For many features: the rows that can be among the two nearest, ascending. Rows of `n` values, a multiple of
  // eight, are contiguous, and squares are summed in another order than those of blocks: they only select candidates.
  std::size_t (*sieve_two)(const double* query, const double* inverse, const double* rows,
                           std::size_t n_rows, std::size_t n, const Sieve& sieve, double* squares,
                           std::int32_t* found);

  // The coordinates of a row on a grid: the whole numbers nearest to (row - centre) * factor; n is a multiple of
  // eight. Returns the squared distance to them, or infinity if a value exceeds `most`. `norm` is the sum of their
  // squares.
  double (*grid_places)(const double* row, const double* centre, const double* factor,
                        std::size_t n, double most, std::int16_t* places, std::int32_t* norm);

  // Squared distances of points to rows on a grid, less the norm of each point: the norm of a row minus twice a product.
  // Points are (pair of features, point, 2) with coordinates times -2, pairs `point_stride` points apart, and their number
  // is 1, 8 or 16. Rows are in blocks (block of 16 rows, pair, row, 2); rows that do not take part have zeros, and the
  // largest integer as norm and result. `squares` is (point, row), `stride` apart, and `least` is the smallest per point.
  void (*grid_squares)(const std::int16_t* points, std::size_t point_stride, std::size_t n_points,
                       const std::int16_t* blocks, const std::int32_t* norms, std::size_t n_blocks,
                       std::size_t pairs, std::int32_t* squares, std::size_t stride,
                       std::int32_t* least);

  // The rows whose distance exceeds that of `least` by at most `reach`, ascending; returns their number. All squares are
  // less `norm`. Rows that do not take part have the largest integer.
  std::size_t (*squares_within)(const std::int32_t* squares, std::size_t n_blocks,
                                std::int32_t least, std::int32_t norm, double reach,
                                std::int32_t* found);

  // Both for one point with many features, in less time since far rows are given up: their result is the largest integer.
  // The reach is beyond the `count`-th smallest (1 or 2). `squares` is not less any norm. No squared distance may exceed 2^31 - 2.
  std::size_t (*sieve_grid)(const std::int16_t* query, const std::int16_t* blocks,
                            const std::int32_t* norms, std::size_t n_blocks, std::size_t pairs,
                            std::size_t count, double reach, std::int32_t* squares,
                            std::int32_t* found);

  // The products of eight points with rows, as floats: those that are at least the sum of both limits. Rows are in blocks
  // (block, feature, one of 16), and points are half of such a block. `pairs` holds row * 8 + point, in any order, and
  // both results have room for all pairs. Returns their number. Products may differ between levels: they only select
  // candidates.
  std::size_t (*products_from)(const float* points, const float* least_of_points,
                               const float* blocks, const float* least, std::size_t n_blocks,
                               std::size_t dims, std::int32_t* pairs, float* products);

  // The positions i below n with values[i] <= limits[i], ascending; returns their number.
  std::size_t (*positions_within)(const double* values, const double* limits, std::size_t n,
                                  std::int32_t* positions);

  // The positions i below n with values[i] <= limit, ascending; returns their number.
  std::size_t (*positions_up_to)(const double* values, std::size_t n, double limit,
                                 std::int32_t* positions);

  // Number of values that are at most `limit`.
  std::size_t (*count_up_to)(const double* values, std::size_t n, double limit);

  // By the median theorem: max(0.5 (one + other) - quarter, 0), the squared distances of points to the middle of an edge,
  // from those to its ends and a quarter of the edge's square. Infinity where `other` is below `least`; n is a multiple
  // of eight.
  void (*squares_to_middle)(const double* one, const double* other, std::size_t n, double quarter,
                            double least, double* out);

  // The rank of each key in a stable ascending sort. `n` is a multiple of sixteen; the largest integer may be a key
  // only at the end, as padding.
  void (*ranks)(const std::int32_t* keys, std::size_t n, std::int32_t* ranks);

  // Squared distances of `n_rows` rows (`row_stride` values apart) to the eight rows of one block: out (row, lane).
  void (*block_squared_distances)(const double* block, const double* inverse, const double* rows,
                                  std::ptrdiff_t row_stride, std::size_t n_rows, std::size_t dims,
                                  double* out);

  // Squared distances of every row of `blocks` to the eight points of one block: out (row, point).
  void (*squared_distances_of_eight)(const double* points, const double* inverse,
                                     const double* blocks, std::size_t n_blocks, std::size_t dims,
                                     double* out);

  // Per point, the smallest of its `squares` (row, point) in each group of consecutive rows, and its row, the first
  // among equals. Group g is the rows first[g] .. first[g + 1] - 1; none is empty. `least` and `row` are (group,
  // point).
  void (*least_of_groups)(const double* squares, const std::int32_t* first, std::size_t n_groups,
                          double* least, double* row);

  // In place: squared distance -> similarity 1 / (1 + alpha sqrt(.)); n is a multiple of eight.
  void (*similarities)(double* values, std::size_t n, double alpha);

  // Eight rows of a Cholesky factor at once: on entry `panel` (column, lane) holds the rows' similarities to the
  // first `n` samples, on return the factor's entries. `factor` holds the finished rows, `factor_stride` apart.
  void (*forward_substitute)(const double* factor, std::size_t factor_stride,
                             const double* inverse_diagonal, std::size_t n, double* panel);

  // gram (row, lane) -= sum over columns of panel(column, row) * panel(column, lane), for the eight rows of a panel.
  void (*subtract_gram)(const double* panel, std::size_t n, double* gram);

  // One Welford step with the sample as number `count`; returns the largest entry of m2. n is a multiple of eight.
  double (*welford)(const double* sample, double count, double* mean, double* m2, std::size_t n);

  // row += rate (sample - row); n is a multiple of eight.
  void (*move_towards)(const double* sample, double rate, double* row, std::size_t n);

  // Feature weights of one node (spec section 4); `global_variance` is 0 in the padding. Returns the sum of squares.
  double (*feature_weights)(const double* m2, double support, const double* global_variance,
                            double* weights, std::size_t n);

  // sum of weights * (a - b)^2, differences scaled by `inverse` if given; n is a multiple of eight.
  double (*weighted_square)(const double* a, const double* b, const double* inverse,
                            const double* weights, std::size_t n);

  // Weights of a pair: weighted square under the mean of both weights, and the sum of squares of that mean.
  double (*pair_weighted_square)(const double* a, const double* b, const double* inverse,
                                 const double* weights_a, const double* weights_b, std::size_t n,
                                 double* sum_of_squares);

  // Adds `n` rows to the ranks of one pivot per column, for eight columns. Row i starts at columns + members[i] *
  // stride, or at columns + i * stride if `members` is null. `ranks` holds the result for earlier rows.
  void (*rank_columns)(const double* columns, std::size_t stride, const std::int32_t* members,
                       std::size_t n, const double* pivot, RankAround* ranks);

  // For eight columns, the number of rows in `members` outside four edges, `edge_stride` apart: below the first and
  // third, above the second and fourth. `counts` has the layout of `edges`.
  void (*count_columns)(const double* columns, std::size_t stride, const std::int32_t* members,
                        std::size_t n, const double* edges, std::size_t edge_stride,
                        double* counts);

  // Per feature, the number of rows outside four edges: below the first and third, above the second and fourth.
  // Removes `before` (may be null) from the counts and adds `after`. `edges` and `counts` are (4, n); n is a multiple
  // of eight.
  void (*count_outside)(const double* before, const double* after, const double* edges,
                        double* counts, std::size_t n);

  // In place: 1 / portable_pow(value, exponent) of `n` values, a multiple of eight, all positive and normal.
  void (*inverse_powers)(double* values, std::size_t n, double exponent);

  // portable_log(mass) - factor * portable_log(squares / mass + least) of `n` pairs, a multiple of eight, all positive and
  // normal.
  void (*log_densities)(const double* mass, const double* squares, std::size_t n, double factor,
                        double least, double* out);

  // Number of supports above 1, and of those at most `limit`.
  void (*count_supports)(const double* support, std::size_t n, double limit, std::size_t* above_one,
                         std::size_t* up_to_limit);

  // Index of the first value that is NaN or larger than `limit` in magnitude, or n.
  std::size_t (*first_outside)(const double* values, std::size_t n, double limit);
};

// The table in use: the best level of this processor, or a lower one named by PHIDA_SIMD.
const Kernels& kernels();

// A table by name, for tests; null if this processor or build lacks it.
const Kernels* kernels_of(const char* level);

// Replaces the table in use; false for an unknown name. Not thread-safe.
bool use_kernels(const char* level);

}  // namespace phida
