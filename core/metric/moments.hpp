// Welford moments of the entire stream, in raw space (the state G of the spec).
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/row_matrix.hpp"
#include "simd/kernels.hpp"

namespace phida {

// Rows beyond this are refused (src/phida/_validation.py), so that no squared distance overflows.
constexpr double kLargestValue = 1e140;

// Upper bound of sums of squared deviations. Rows within the limits of the library do not reach it.
constexpr double kMostSquares = 1e300;

struct Moments {
  explicit Moments(std::size_t dims) : mean(padded(dims), 0.0), m2(padded(dims), 0.0) {}

  double count = 0.0;
  AlignedDoubles mean;
  AlignedDoubles m2;

  // Adds one sample (a padded row) and returns the resulting node scale (spec step 5): the largest standard deviation
  // of a feature, at least 1e-6.
  double add(const double* sample) {
    count += 1.0;
    return scale_of(kernels().welford(sample, count, mean.data(), m2.data(), mean.size()));
  }

  // The node scale of the samples so far.
  double scale() const { return scale_of(*std::max_element(m2.begin(), m2.end())); }

  // Keeps `share` of the count so far, but at least one sample.
  void fade(double share) {
    const double left = std::max(count * share, 1.0);
    for (double& x : m2) x *= left / count;
    count = left;
  }

 private:
  double scale_of(double largest_m2) const {
    return count > 1.0 ? std::max(std::sqrt(largest_m2 / (count - 1.0)), 1e-6) : 1e-6;
  }
};

}  // namespace phida
