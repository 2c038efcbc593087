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

// a = 1 / (1 + d / s). Written with the division: a equal to the vigilance to the last bit does happen.
inline double similarity(double distance, double scale) {
  return 1.0 / (1.0 + distance / std::max(scale, 1e-12));
}

class Matcher {
 public:
  explicit Matcher(std::size_t dims);

  // The nodes' rows, kept in the form in which samples are matched against them.
  void append(const double* row);
  void set(std::size_t node, const double* row);
  void resize(std::size_t nodes);
  void assign(const RowMatrix& rows, std::span<const std::int32_t> members);

  // The two nearest of `rows`, at least two, the same that the matcher was given; equal distances go to the lower
  // index. `scaling` is null where the rows are in the metric already; `source` gives the feature weights that count
  // where gamma > 0. `query` and `scaling` are padded with zeros.
  Match nearest_two(const double* query, const double* scaling, double gamma, const RowMatrix& rows,
                    const WeightSource& source);

  // The same with gamma = 0, for rows that all have `center` taken off before they are compared, as has the query; the
  // matcher was given them as they are. Only if wide.
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
  BlockedRows blocks_;    // else
  RoundedRows rounded_;   // if wide
  double slack_;          // how far sums in different orders may differ, as a factor
  double rounded_slack_;  // how far sums of floats may differ from exact ones
  AlignedFloats rounded_query_;
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
  std::vector<double> guesses_;
  AlignedDoubles variance_;
  AlignedDoubles weights_;
};

}  // namespace phida
