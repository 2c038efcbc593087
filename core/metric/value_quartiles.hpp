// Hazen quartiles of a list that changes little from one call to the next, found around the last answers.
#pragma once

#include <limits>
#include <vector>

#include "metric/rank_around.hpp"
#include "numeric/hazen_quantile.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

class ValueQuartiles {
 public:
  // `values` must not be empty.
  Quartiles of(std::span<const double> values) {
    // Eight to a row; NaN neither precedes nor follows any pivot, so the padding does not count.
    padded_.assign(padded(values.size()), std::numeric_limits<double>::quiet_NaN());
    std::copy(values.begin(), values.end(), padded_.begin());
    return {quantile(0, 0.25, values), quantile(1, 0.5, values), quantile(2, 0.75, values)};
  }

 private:
  double quantile(int which, double q, std::span<const double> values) {
    const double n = static_cast<double>(values.size());
    const HazenPosition at = hazen_position(values.size(), q);
    double pivots[kLanes];
    std::fill_n(pivots, kLanes, pivot_[which]);
    RankAround around;
    clear(around);
    kernels().rank_columns(padded_.data(), kLanes, nullptr, padded_.size() / kLanes, pivots,
                           &around);
    for (int lane = 1; lane < static_cast<int>(kLanes); ++lane) absorb_lane(around, lane);
    double low = 0.0, high = 0.0;
    if (value_at(around, 0, pivot_[which], n, static_cast<double>(at.lower), low) &&
        value_at(around, 0, pivot_[which], n, static_cast<double>(at.upper), high)) {
      pivot_[which] = low;
      return interpolate(low, high, at.fraction);
    }
    sorted_.assign(values.begin(), values.end());
    const double result = hazen_quantile(sorted_, q);
    pivot_[which] = sorted_[at.lower];
    return result;
  }

  double pivot_[3] = {0.0, 0.0, 0.0};
  AlignedDoubles padded_;
  std::vector<double> sorted_;
};

}  // namespace phida
