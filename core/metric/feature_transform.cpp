#include "metric/feature_transform.hpp"

#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/hazen_quantile.hpp"

namespace phida {
namespace {

// The interquartile range of a normal distribution is 1.349 standard deviations.
constexpr double kNormalIqr = 1.349;

// gamma = max(1 - 1/cv^2, 0), where cv is the coefficient of variation of the feature scales.
double scale_exponent(std::span<const double> scale) {
  const double n = static_cast<double>(scale.size());
  double total = 0.0;
  for (const double s : scale) total += s;
  const double mean = total / n;
  double squares = 0.0;
  for (const double s : scale) squares += (s - mean) * (s - mean);
  const double cv = std::sqrt(squares / n) / mean;
  return cv > 0.0 ? std::max(1.0 - 1.0 / (cv * cv), 0.0) : 0.0;
}

}  // namespace

void fit_transform(const RowMatrix& rows, std::span<const std::int32_t> members,
                   std::vector<double>& scratch, FeatureTransform& out) {
  const std::size_t dims = rows.cols(), n = members.size();
  out.center.assign(rows.stride(), 0.0);
  out.inverse.assign(rows.stride(), 0.0);
  scratch.resize(n);
  for (std::size_t j = 0; j < dims; ++j) {
    for (std::size_t i = 0; i < n; ++i) scratch[i] = rows[members[i]][j];
    const Quartiles q = hazen_quartiles(scratch);
    const double sigma = (q.third - q.first) / kNormalIqr;
    out.center[j] = q.median;
    out.inverse[j] = sigma > 0.0 && std::isfinite(sigma) ? sigma : 1.0;
  }
  const std::span<double> scale{out.inverse.data(), dims};
  out.gamma = scale_exponent(scale);
  for (double& s : scale) s = out.gamma > 0.0 ? 1.0 / portable_pow(s, out.gamma) : 1.0;
}

}  // namespace phida
