// Winner and runner-up of a sample (spec step 4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/feature_transform.hpp"
#include "metric/feature_weights.hpp"
#include "numeric/blocked_rows.hpp"
#include "search/grid_rows.hpp"

namespace phida {

struct Match {
  std::int32_t winner = 0;
  std::int32_t runner_up = 1;
  double winner_distance = 0.0;
  double runner_up_distance = 0.0;
};

// a = 1 / (1 + d / s). Written with the division, since a may equal the vigilance to the last bit.
inline double similarity(double distance, double scale) {
  return 1.0 / (1.0 + distance / std::max(scale, 1e-12));
}

class Matcher {
 public:
  explicit Matcher(std::size_t dims);

  // The nodes' rows, in the form used for matching.
  void append(const double* row);
  void set(std::size_t node, const double* row);
  void assign(const RowMatrix& rows);

  // The two nearest of `rows`, at least two, which must be those given to the matcher; equal distances go to the
  // lower index. `scaling` is null if the rows are already in the metric; `source` gives the feature weights, used if
  // gamma > 0. `query` and `scaling` are padded with zeros.
  Match nearest_two(const double* query, const double* scaling, double gamma, const RowMatrix& rows,
                    const WeightSource& source);

  // The same with gamma = 0, after `center` is subtracted from the query and all rows. `rows` and `query` are given
  // before the subtraction. Call only if wide().
  Match nearest_two_less(const double* query, const double* center, const RowMatrix& rows);
  bool wide() const;

 private:
  // A copy of the rows to search: in blocks; or on a grid, for many features and plain distances; or none, for many
  // features otherwise. Only the one that the last search used is kept up to date.
  enum class Form { kBlocks, kGrid, kNone };

  using Rows = std::span<const std::int32_t>;
  Form form_for(const double* scaling, double gamma) const;
  void use(Form form, const RowMatrix& rows);
  Rows search(const double* query, const double* scaling, double gamma, const RowMatrix& rows);
  Rows search_blocks(const double* query, const double* scaling, bool all_squares,
                     const RowMatrix& rows);
  Rows sieve_grid(const double* query, double error, const RowMatrix& rows);
  Rows sieve_doubles(const double* query, const double* scaling, double error, bool all_squares,
                     const RowMatrix& rows);
  double penalised_to(std::int32_t row, const double* query, const double* scaling, double gamma,
                      const RowMatrix& rows, const WeightSource& source);

  std::size_t dims_;
  double slack_;  // factor between sums in different orders
  Form form_;
  BlockedRows blocks_;
  GridRows grid_;
  GridSearch grid_search_;
  AlignedDoubles squares_;       // per row
  AlignedDoubles near_squares_;  // per candidate
  std::vector<std::int32_t> candidates_;
  std::vector<double> guesses_;
  AlignedDoubles variance_;
  AlignedDoubles weights_;
};

}  // namespace phida
