// exp(-sum p ln p) of positive masses that need not sum to one: the equivalent number of equal masses.
#pragma once

#include <span>

#include "numeric/elementary.hpp"

namespace phida {

inline double entropy_count(std::span<const double> masses) {
  double total = 0.0, entropy = 0.0;
  for (const double mass : masses) total += mass;
  for (const double mass : masses) {
    const double p = mass / total;
    entropy -= p * portable_log(p);
  }
  return portable_exp(entropy);
}

}  // namespace phida
