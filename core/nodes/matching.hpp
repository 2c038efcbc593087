// Winner and runner-up of a sample (spec step 4).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/feature_transform.hpp"
#include "metric/feature_weights.hpp"
#include "numeric/blocked_rows.hpp"
#include "numeric/rounded_rows.hpp"

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
  void resize(std::size_t nodes);
  void assign(const RowMatrix& rows, std::span<const std::int32_t> members);

  // The two nearest of `rows`, at least two, which must be those given to the matcher; equal distances go to the
  // lower index. `scaling` is null if the rows are already in the metric; `source` gives the feature weights, used if
  // gamma > 0. `query` and `scaling` are padded with zeros.
  Match nearest_two(const double* query, const double* scaling, double gamma, const RowMatrix& rows,
                    const WeightSource& source);

  // The same with gamma = 0, where `center` is subtracted from all rows and the query before they are compared; the
  // matcher holds the rows without that. Only if wide.
  Match nearest_two_less(const double* query, const double* center, const RowMatrix& rows);
  bool wide() const { return wide_; }

 private:
  Match nearest_of_candidates(std::size_t found) const;
  std::size_t search(const double* query, const double* scaling, bool all_squares,
                     const RowMatrix& rows);
  std::size_t sieve(const double* query, const double* scaling, double error, bool all_squares,
                    const RowMatrix& rows);
  double round_query(const double* query, std::size_t dims);
  double penalised_to(std::int32_t row, const double* query, const double* scaling, double gamma,
                      const RowMatrix& rows, const WeightSource& source);

  bool wide_;             // many features: rows are sieved
  BlockedRows blocks_;    // otherwise
  RoundedRows rounded_;   // if wide
  double slack_;          // factor between sums in different orders
  double rounded_slack_;  // factor between sums of floats and exact ones
  AlignedFloats rounded_query_;
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
  std::vector<double> guesses_;
  AlignedDoubles variance_;
  AlignedDoubles weights_;
};

}  // namespace phida
