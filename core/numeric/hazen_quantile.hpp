// Hazen quantiles: the order statistic at the virtual position n q - 1/2, interpolated linearly.
#pragma once

#include <cstddef>
#include <span>

namespace phida {

// Position of a quantile among n sorted values: between ranks `lower` and `upper`, at `fraction` of the way.
struct HazenPosition {
  std::size_t lower = 0;
  std::size_t upper = 0;
  double fraction = 0.0;
};

HazenPosition hazen_position(std::size_t n, double q);

// Linear in `fraction`, exact at both ends.
inline double interpolate(double low, double high, double fraction) {
  const double gap = high - low;
  return fraction < 0.5 ? low + gap * fraction : high - gap * (1.0 - fraction);
}

// Reorders `values`, which must not be empty.
double hazen_quantile(std::span<double> values, double q);

struct Quartiles {
  double first = 0.0;
  double median = 0.0;
  double third = 0.0;
};

}  // namespace phida
