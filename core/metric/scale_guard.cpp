#include "metric/scale_guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric/feature_transform.hpp"
#include "numeric/hazen_quantile.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// gamma is 0 while n * sum of squared scales <= 2 * (sum of scales)^2; the rest is for rounding.
constexpr double kSafely = 1.99;

// How far brackets reach, as a share of the rows: wide enough to last, narrow enough to prove. Where the scales' squared
// coefficient of variation is v, widest and narrowest scales may differ by the factor r = sqrt(1.99 / (1 + v)); near the
// quartiles of a normal distribution a share s of the rows changes the range between them by 4.66 s.
double reach_of(double variation) {
  const double factor = std::sqrt(kSafely / (1.0 + variation));
  return 0.8 * (factor - 1.0) / (factor + 1.0) / 4.66;
}

// Below this many rows the quartiles themselves are cheap, and brackets wide.
constexpr std::size_t kFewest = 16;

}  // namespace

ScaleGuard::Limits ScaleGuard::limits() const {
  const HazenPosition first = hazen_position(count_, 0.25), third = hazen_position(count_, 0.75);
  const auto below = [](std::size_t rank) { return static_cast<double>(rank); };
  const auto above = [&](std::size_t rank) { return static_cast<double>(count_ - 1 - rank); };
  return {{below(first.lower), above(first.upper), below(third.lower), above(third.upper)}};
}

void ScaleGuard::set_up(const RowMatrix& rows, std::span<const std::int32_t> members,
                        double variation) {
  drop();
  reach_ = reach_of(variation);
  if (members.size() < kFewest) return;
  count_ = members.size();
  stride_ = rows.stride();
  edges_.resize(4 * stride_);
  counts_.assign(4 * stride_, 0.0);
  // Nothing lies outside the brackets of the padding.
  for (std::size_t e = 0; e < 4; ++e)
    std::fill_n(edges_.begin() + static_cast<std::ptrdiff_t>(e * stride_), stride_,
                e % 2 == 0 ? -kInfinity : kInfinity);
  for (std::size_t j = 0; j < rows.cols(); ++j) bracket(rows, members, j);
  bound_scales(rows.cols());
}

void ScaleGuard::add(const double* row) {
  if (!standing()) return;
  ++count_;
  kernels().count_outside(nullptr, row, edges_.data(), counts_.data(), stride_);
}

void ScaleGuard::replace(const double* before, const double* after) {
  if (standing()) kernels().count_outside(before, after, edges_.data(), counts_.data(), stride_);
}

bool ScaleGuard::proves_zero(const RowMatrix& rows, std::span<const std::int32_t> members) {
  if (count_ != members.size()) drop();
  if (!standing()) return false;
  const Limits limit = limits();
  bool renewed = false;
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    bool inside = true;
    for (std::size_t e = 0; e < 4; ++e) inside &= counts_[e * stride_ + j] <= limit.of[e];
    if (inside) continue;
    bracket(rows, members, j);
    renewed = true;
  }
  if (renewed) bound_scales(rows.cols());
  return narrow_;
}

void ScaleGuard::bracket(const RowMatrix& rows, std::span<const std::int32_t> members,
                         std::size_t column) {
  const std::size_t n = members.size();
  const auto reach =
      std::max<std::size_t>(1, static_cast<std::size_t>(reach_ * static_cast<double>(n)));
  sorted_.resize(n);
  for (std::size_t i = 0; i < n; ++i) sorted_[i] = rows[members[i]][column];
  std::sort(sorted_.begin(), sorted_.end());
  for (std::size_t quartile = 0; quartile < 2; ++quartile) {
    const HazenPosition at = hazen_position(n, quartile == 0 ? 0.25 : 0.75);
    const double low = sorted_[at.lower > reach ? at.lower - reach : 0];
    const double high = sorted_[std::min(at.upper + reach, n - 1)];
    const auto below = std::lower_bound(sorted_.begin(), sorted_.end(), low) - sorted_.begin();
    const auto above = sorted_.end() - std::upper_bound(sorted_.begin(), sorted_.end(), high);
    edges_[(2 * quartile) * stride_ + column] = low;
    edges_[(2 * quartile + 1) * stride_ + column] = high;
    counts_[(2 * quartile) * stride_ + column] = static_cast<double>(below);
    counts_[(2 * quartile + 1) * stride_ + column] = static_cast<double>(above);
  }
}

// A scale is (third - first quartile) / kNormalIqr, and 1 where the quartiles coincide. The factor cancels in gamma except
// against those ones, so it stays.
void ScaleGuard::bound_scales(std::size_t dims) {
  double squares_at_most = 0.0, sum_at_least = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    const double widest = (edges_[3 * stride_ + j] - edges_[j]) / kNormalIqr;
    const double narrowest = (edges_[2 * stride_ + j] - edges_[stride_ + j]) / kNormalIqr;
    const bool constant = widest <= 0.0, may_coincide = narrowest <= 0.0;
    const double most = constant ? 1.0 : may_coincide ? std::max(widest, 1.0) : widest;
    squares_at_most += most * most;
    sum_at_least += constant ? 1.0 : may_coincide ? 0.0 : narrowest;
  }
  narrow_ = static_cast<double>(dims) * squares_at_most <= kSafely * sum_at_least * sum_at_least;
}

}  // namespace phida
