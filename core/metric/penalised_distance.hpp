// The distance of matching and of the PH graph: Euclidean after the feature transformation, plus a penalty where the
// local, feature-weighted distance is larger (spec step 4 and section 7). It is never below the Euclidean one, which
// lets callers compute weights only for rows that can still win.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace phida {

// kappa = clip(1 / sum of squared weights, 1, d): the effective number of features.
inline double effective_dims(double sum_of_squared_weights, std::size_t dims) {
  return std::clamp(1.0 / sum_of_squared_weights, 1.0, static_cast<double>(dims));
}

inline double penalised(double euclidean, double weighted_square, double sum_of_squared_weights,
                        std::size_t dims, double gamma) {
  const double local = std::sqrt(effective_dims(sum_of_squared_weights, dims) * weighted_square);
  return local > euclidean ? euclidean + gamma * (local - euclidean) : euclidean;
}

}  // namespace phida
