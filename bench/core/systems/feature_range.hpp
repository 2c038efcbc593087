// The range of every feature, and scaling to [0, 1] by this range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace phida::systems {

struct FeatureRange {
  std::vector<double> low, high;  // both empty if no range is known

  bool is_known() const { return !low.empty(); }

  void include(const double* rows, std::size_t n, std::size_t dims) {
    if (!is_known()) {
      low.assign(rows, rows + dims);
      high = low;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < dims; ++j) {
        low[j] = std::min(low[j], rows[i * dims + j]);
        high[j] = std::max(high[j], rows[i * dims + j]);
      }
  }

  // Values outside the range are clipped; a feature with one value becomes 0.
  double scaled(std::size_t feature, double value) const {
    const double width = high[feature] - low[feature];
    return width > 0.0 ? std::clamp((value - low[feature]) / width, 0.0, 1.0) : 0.0;
  }
};

}  // namespace phida::systems
