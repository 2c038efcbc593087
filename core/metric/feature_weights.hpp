// Node-wise feature weights (spec section 4): features that vary less inside a node than overall weigh more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "metric/moments.hpp"

namespace phida {

// Global variance per feature: 1 if not finite and positive, at least 1e-12, and 0 in the padding.
inline void global_variance(const Moments& moments, std::size_t dims, AlignedDoubles& out) {
  out.assign(moments.m2.size(), 0.0);
  for (std::size_t j = 0; j < dims; ++j) {
    const double v = moments.count > 1.0 ? moments.m2[j] / (moments.count - 1.0) : 1.0;
    out[j] = v > 0.0 && std::isfinite(v) ? std::max(v, 1e-12) : 1.0;
  }
}

// Input of the weights of a set of nodes.
struct WeightSource {
  const RowMatrix& m2;              // per node
  std::span<const double> support;  // per node
  const Moments& moments;           // of the stream
};

}  // namespace phida
