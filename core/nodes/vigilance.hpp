// The self-adjusting vigilance and its interval (spec section 5).
#pragma once

#include <cstddef>
#include <vector>

#include "nodes/sample_buffer.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

struct Vigilance {
  std::size_t interval = 2;  // lambda
  double threshold = 0.0;    // tau, the vigilance parameter
  double ratio = 0.0;        // r bar, the smoothed cluster-to-node ratio
};

// Windows of the newest samples: how long they stay stable, and the nearest-neighbour similarities inside.
//
// The windows are nested from the newest sample backwards, and the determinant of the similarity matrix does not
// depend on the order of its samples. So one Cholesky factor, extended by eight samples at a time, gives every
// stability test. Since no pivot exceeds 1, the determinant only decreases, and extension can stop at the first
// unstable length.
class SimilarityWindow {
 public:
  explicit SimilarityWindow(std::size_t dims) : dims_(dims), panel_(dims * kLanes) {}

  // The longest stable length up to `limit`.
  std::size_t grow(const SampleBuffer& samples, std::size_t limit, const double* scaling,
                   double alpha);

  // The Hazen quantile of each sample's largest similarity to another of the newest `length`, at least two.
  double quantile_of_nearest(std::size_t length, double q);

 private:
  void pack_panel(const SampleBuffer& samples, std::size_t first, std::size_t count);

  std::size_t dims_;
  AlignedDoubles panel_;              // eight samples, (feature, lane)
  std::vector<double> similarities_;  // per panel: (sample, lane)
  std::size_t panel_values_ = 0;      // values per panel in similarities_
  AlignedDoubles solved_;             // the panel's rows of the factor, (column, lane)
  std::vector<double> factor_;        // finished rows
  std::size_t factor_stride_ = 0;
  std::vector<double> inverse_diagonal_;
  std::vector<double> nearest_;  // u
};

// Place of the threshold among the nearest-neighbour similarities: at the quantile of the smoothed ratio, as in
// PHIDA, or at that of its complement, as in its sibling IDAT.
enum class ThresholdAt { kRatio, kComplement };

// One recalculation. `current_ratio` is C / K; `alpha` the inverse of the largest node scale.
Vigilance recalculate(const Vigilance& before, const SampleBuffer& samples, const double* scaling,
                      double alpha, double current_ratio, SimilarityWindow& window,
                      ThresholdAt at = ThresholdAt::kRatio);

}  // namespace phida
