#include "numeric/hazen_quantile.hpp"

#include <algorithm>
#include <cmath>

namespace phida {

HazenPosition hazen_position(std::size_t n, double q) {
  const double last = static_cast<double>(n - 1);
  const double position = std::clamp(static_cast<double>(n) * q + 0.5 - 1.0, 0.0, last);
  const double below = std::floor(position);
  const auto lower = static_cast<std::size_t>(below);
  return {lower, std::min(lower + 1, n - 1), position - below};
}

double hazen_quantile(std::span<double> values, double q) {
  const HazenPosition at = hazen_position(values.size(), q);
  const auto lower = values.begin() + static_cast<std::ptrdiff_t>(at.lower);
  std::nth_element(values.begin(), lower, values.end());
  const double low = *lower;
  // nth_element leaves only values >= low after it, so the next rank is their minimum.
  const double high = at.upper == at.lower ? low : *std::min_element(lower + 1, values.end());
  return interpolate(low, high, at.fraction);
}

}  // namespace phida
