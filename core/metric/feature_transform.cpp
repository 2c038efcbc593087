#include "metric/feature_transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/hazen_quantile.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// Squared coefficient of variation.
double variation(std::span<const double> scale) {
  const double n = static_cast<double>(scale.size());
  double total = 0.0;
  for (const double s : scale) total += s;
  const double mean = total / n;
  double squares = 0.0;
  for (const double s : scale) squares += (s - mean) * (s - mean);
  const double cv = std::sqrt(squares / n) / mean;
  return cv * cv;
}

// values = 1 / value^exponent, and the padding stays 0. Eight at a time, since each is a long chain of divisions.
void invert_powers(AlignedDoubles& values, std::size_t n, double exponent) {
  const auto end = values.begin() + static_cast<std::ptrdiff_t>(n);
  if (*std::min_element(values.begin(), end) < std::numeric_limits<double>::min()) {
    for (auto at = values.begin(); at != end; ++at) *at = 1.0 / portable_pow(*at, exponent);
    return;
  }
  std::fill(end, values.end(), 1.0);
  kernels().inverse_powers(values.data(), values.size(), exponent);
  std::fill(end, values.end(), 0.0);
}

// On entry `out.inverse` holds the scales sigma, on return 1 / sigma^gamma. Returns the squared coefficient of
// variation of the scales, which gives gamma.
double adapt_exponent(FeatureTransform& out, std::size_t dims) {
  const std::span<double> scale{out.inverse.data(), dims};
  const double cv2 = variation(scale);
  out.gamma = cv2 > 0.0 ? std::max(1.0 - 1.0 / cv2, 0.0) : 0.0;
  if (out.gamma > 0.0)
    invert_powers(out.inverse, dims, out.gamma);
  else
    std::fill(scale.begin(), scale.end(), 1.0);
  return cv2;
}

}  // namespace

double fit_scaling(const RowMatrix& rows, std::span<const std::int32_t> members,
                   std::size_t unchanged, ColumnQuartiles& quartiles, FeatureTransform& out) {
  const std::size_t dims = rows.cols();
  quartiles.update(rows, members, unchanged);
  out.inverse.resize(rows.stride(), 0.0);
  for (std::size_t j = 0; j < dims; ++j) {
    const double sigma = (quartiles.third(j) - quartiles.first(j)) / kNormalIqr;
    out.inverse[j] = sigma >= kLeastQuartiles && std::isfinite(sigma) ? sigma : 1.0;
  }
  return adapt_exponent(out, dims);
}

void fit_deviations(std::span<const double> deviation, Scale scale, FeatureTransform& out) {
  const std::size_t dims = deviation.size();
  out.inverse.assign(padded(dims), 0.0);
  out.gamma = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    const double sigma = deviation[j];
    out.inverse[j] = sigma >= kLeastDeviation && std::isfinite(sigma) ? sigma : 1.0;
  }
  switch (scale) {
    case Scale::kAuto: adapt_exponent(out, dims); return;
    case Scale::kStandard:
      for (std::size_t j = 0; j < dims; ++j) out.inverse[j] = 1.0 / out.inverse[j];
      out.gamma = 1.0;
      return;
    case Scale::kNone: std::fill_n(out.inverse.begin(), dims, 1.0); return;
  }
}

void fit_center(const RowMatrix& rows, std::span<const std::int32_t> members,
                FeatureTransform& out) {
  std::vector<double> column(members.size());
  out.center.assign(rows.stride(), 0.0);
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    for (std::size_t i = 0; i < members.size(); ++i) column[i] = rows[members[i]][j];
    out.center[j] = hazen_quantile(column, 0.5);
  }
}

}  // namespace phida
