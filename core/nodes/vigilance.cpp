#include "nodes/vigilance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/hazen_quantile.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// A window is stable if the determinant of its similarities is at least this.
constexpr double kStableDeterminant = 1e-6;

double mix(double current, double length, double smoothed) {
  return std::clamp(current / length + (1.0 - 1.0 / length) * smoothed, 0.0, 1.0);
}

}  // namespace

void SimilarityWindow::pack_panel(const SampleBuffer& samples, std::size_t first,
                                  std::size_t count) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const double* row = samples.recent(first + std::min(lane, count - 1));
    for (std::size_t j = 0; j < dims_; ++j) panel_[j * kLanes + lane] = row[j];
  }
}

std::size_t SimilarityWindow::grow(const SampleBuffer& samples, std::size_t limit,
                                   const double* scaling, double alpha) {
  const Kernels& k = kernels();
  const std::size_t capacity = padded(limit);
  panel_values_ = capacity * kLanes;
  similarities_.resize(capacity * capacity);
  solved_.resize(capacity * kLanes);
  factor_stride_ = capacity;
  factor_.resize(capacity * capacity);
  inverse_diagonal_.resize(capacity);

  double product = 1.0;
  for (std::size_t first = 0; first < limit; first += kLanes) {
    const std::size_t count = std::min(kLanes, limit - first), rows = first + count;
    double* const similar = similarities_.data() + first / kLanes * panel_values_;
    pack_panel(samples, first, count);
    for (std::size_t age = 0; age < rows;) {
      const std::size_t run = std::min(samples.run(age), rows - age);
      k.block_squared_distances(panel_.data(), scaling, samples.recent(age),
                                -static_cast<std::ptrdiff_t>(samples.stride()), run, dims_,
                                similar + age * kLanes);
      age += run;
    }
    k.similarities(similar, rows * kLanes, alpha);

    std::copy_n(similar, first * kLanes, solved_.data());
    k.forward_substitute(factor_.data(), factor_stride_, inverse_diagonal_.data(), first,
                         solved_.data());
    double gram[kLanes * kLanes] = {};
    std::copy_n(similar + first * kLanes, count * kLanes, gram);
    k.subtract_gram(solved_.data(), first, gram);

    for (std::size_t r = 0; r < count; ++r) {
      double* const row = factor_.data() + (first + r) * factor_stride_;
      for (std::size_t c = 0; c < first; ++c) row[c] = solved_[c * kLanes + r];
      double* const own = row + first;  // entries whose column is in this panel
      double pivot = gram[r * kLanes + r];
      for (std::size_t c = 0; c < r; ++c) {
        const double* const other = factor_.data() + (first + c) * factor_stride_ + first;
        double value = gram[c * kLanes + r];
        for (std::size_t t = 0; t < c; ++t) value -= own[t] * other[t];
        own[c] = value * inverse_diagonal_[first + c];
        pivot -= own[c] * own[c];
      }
      if (!(pivot > 0.0)) return first + r;
      const double diagonal = std::sqrt(pivot);
      product *= diagonal;
      if (product * product < kStableDeterminant) return first + r;
      inverse_diagonal_[first + r] = 1.0 / diagonal;
    }
  }
  return limit;
}

double SimilarityWindow::quantile_of_nearest(std::size_t length, double q) {
  nearest_.assign(length, -std::numeric_limits<double>::infinity());
  for (std::size_t first = 0; first < length; first += kLanes) {
    const double* const similar = similarities_.data() + first / kLanes * panel_values_;
    const std::size_t count = std::min(kLanes, length - first);
    for (std::size_t t = 0; t < first + count; ++t) {
      for (std::size_t lane = 0; lane < count; ++lane) {
        if (first + lane == t) continue;
        const double value = similar[t * kLanes + lane];
        nearest_[t] = std::max(nearest_[t], value);
        nearest_[first + lane] = std::max(nearest_[first + lane], value);
      }
    }
  }
  return hazen_quantile(nearest_, q);
}

Vigilance recalculate(const Vigilance& before, const SampleBuffer& samples, const double* scaling,
                      double alpha, double current_ratio, SimilarityWindow& window,
                      ThresholdAt at) {
  const auto accept = [&](std::size_t chosen, double ratio) -> Vigilance {
    const double q = at == ThresholdAt::kRatio ? ratio : 1.0 - ratio;
    return {chosen, window.quantile_of_nearest(chosen, q), ratio};
  };
  const std::size_t interval = before.interval, held = samples.size();
  const double length = static_cast<double>(interval);
  const std::size_t longest = std::min(2 * interval, held);
  const std::size_t stable = window.grow(samples, longest, scaling, alpha);

  // The decremental scan found an unstable window: take the one before it. The ratio is mixed once per tested length.
  if (stable < std::min(interval, held)) {
    if (stable < 2) return before;
    double ratio = before.ratio;
    for (std::size_t m = 2; m <= stable; ++m) ratio = mix(current_ratio, length, ratio);
    return accept(stable, ratio);
  }
  if (held <= interval) return before;

  // The incremental scan tests lengths at doubling strides beyond the interval.
  double ratio = mix(current_ratio, length, before.ratio);
  std::size_t low = interval, high = interval + 1, stride = 1;
  while (high <= longest) {
    if (high > stable) {
      ratio = mix(current_ratio, static_cast<double>(low), ratio);
      return accept(low, ratio);
    }
    low = high;
    stride = std::min(2 * stride, longest - interval);
    high = std::min(interval + stride, longest);
    if (high <= low) break;
  }
  return accept(longest, ratio);
}

}  // namespace phida
