#include "metric/tracked_scaling.hpp"

#include <algorithm>

namespace phida {
namespace {

// A squared coefficient of variation of the scales below which a proof is likely; gamma is 0 up to 1.
constexpr double kClearlyUniform = 0.5;

// How many fits to wait after too wide brackets.
constexpr int kPatience = 32;

}  // namespace

void TrackedScaling::fit(const RowMatrix& rows, std::span<const std::int32_t> members,
                         FeatureTransform& out) {
  if (guard_.proves_zero(rows, members)) {
    if (out.gamma > 0.0 || out.inverse.size() != rows.stride()) {
      out.gamma = 0.0;
      out.inverse.assign(rows.stride(), 0.0);
      std::fill_n(out.inverse.begin(), rows.cols(), 1.0);
    }
    return;
  }
  const double variation = fit_scaling(rows, members, moved_ ? 0 : fitted_, quartiles_, out);
  moved_ = false;
  fitted_ = members.size();
  guard(rows, members, variation);
}

void TrackedScaling::fit_center(const RowMatrix& rows, std::span<const std::int32_t> members,
                                FeatureTransform& out) {
  medians_.update(rows, members, center_moved_ ? 0 : center_fitted_);
  center_moved_ = false;
  center_fitted_ = members.size();
  out.center.assign(rows.stride(), 0.0);
  // Which of two equal zeros is the median depends on earlier tracking; adding 0 makes the sign the same.
  for (std::size_t j = 0; j < rows.cols(); ++j) out.center[j] = medians_.value(0, j) + 0.0;
}

void TrackedScaling::guard(const RowMatrix& rows, std::span<const std::int32_t> members,
                           double variation) {
  guard_.drop();
  if (variation >= kClearlyUniform || --fits_until_guard_ > 0) return;
  guard_.set_up(rows, members, quartiles_, variation);
  if (guard_.proves_zero(rows, members)) return;
  guard_.drop();
  fits_until_guard_ = kPatience;
}

}  // namespace phida
