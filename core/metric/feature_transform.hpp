// The adaptive feature transformation of a set of rows (spec section 2, paper eqs. 1 and 2).
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "metric/column_quantiles.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

// The interquartile range of a normal distribution is 1.349 standard deviations.
constexpr double kNormalIqr = 1.349;

// A smaller scale counts as 1: its inverse may overflow.
constexpr double kLeastQuartiles = std::numeric_limits<double>::min();

// Phi(x)_j = (x_j - center_j) * inverse_j, where inverse_j = 1 / sigma_j^gamma.
struct FeatureTransform {
  AlignedDoubles center;   // median per feature, padded with 0
  AlignedDoubles inverse;  // padded with 0; exactly 1 where gamma is 0
  double gamma = 0.0;      // degree of normalisation: 0 none, near 1 full

  // With gamma = 0, distances do not depend on the transformation.
  const double* scaling() const { return gamma > 0.0 ? inverse.data() : nullptr; }
};

// Scaling and gamma of the rows in `members`, at least one. No distance needs the centre, so it is not computed.
// `unchanged` is as for ColumnQuantiles::update. Returns the squared coefficient of variation of the scales.
double fit_scaling(const RowMatrix& rows, std::span<const std::int32_t> members,
                   std::size_t unchanged, ColumnQuartiles& quartiles, FeatureTransform& out);

// How PHIDA+ scales features: by the paper's exponent, by their standard deviations, or not at all.
enum class Scale : std::uint8_t { kAuto, kStandard, kNone };

// The squares of smaller deviations have lost digits, and those of their inverses overflow.
constexpr double kLeastDeviation = 1e-150;

// The same from the standard deviation of each feature; one that is below the minimum or not finite counts as 1. The
// centre is not computed.
void fit_deviations(std::span<const double> deviation, Scale scale, FeatureTransform& out);

// Computes the centre: the median of each column.
void fit_center(const RowMatrix& rows, std::span<const std::int32_t> members,
                FeatureTransform& out);

}  // namespace phida
