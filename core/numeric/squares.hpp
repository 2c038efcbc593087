// Squared distances of two rows, summed feature by feature, as in the kernels over blocks.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>

namespace phida {

// With `scaling`, differences are scaled first.
inline double square_in_order(const double* a, const double* b, const double* scaling,
                              std::size_t dims) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    double difference = a[j] - b[j];
    if (scaling) difference *= scaling[j];
    sum += difference * difference;
  }
  return sum;
}

inline double norm(const double* a, std::size_t dims) {
  return std::sqrt(std::inner_product(a, a + dims, a, 0.0));
}

// Distances below this may have lost all digits when squared.
constexpr double kUnderflow = 1e-150;

}  // namespace phida
