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

// gamma is 0 while n * sum of squared scales <= 2 * (sum of scales)^2; 1.99 leaves room for rounding.
constexpr double kSafely = 1.99;

// Reach of the brackets, as a share of the rows: wide enough to last, narrow enough for a proof. If the scales'
// squared coefficient of variation is v, widest and narrowest scales may differ by the factor r = sqrt(1.99 / (1 +
// v)); near the quartiles of a normal distribution a share s of the rows changes the range between them by 4.66 s.
double reach_of(double variation) {
  const double factor = std::sqrt(kSafely / (1.0 + variation));
  return 0.8 * (factor - 1.0) / (factor + 1.0) / 4.66;
}

// Share of rows per standard deviation at the quartiles of a normal distribution.
constexpr double kNormalDensity = 0.3178;

// How often to move edges before selecting.
constexpr int kMoves = 3;

// Below this number of rows, quartiles are cheap and brackets wide.
constexpr std::size_t kFewest = 16;

}  // namespace

ScaleGuard::Limits ScaleGuard::limits() const {
  const HazenPosition first = hazen_position(count_, 0.25), third = hazen_position(count_, 0.75);
  const auto below = [](std::size_t rank) { return static_cast<double>(rank); };
  const auto above = [&](std::size_t rank) { return static_cast<double>(count_ - 1 - rank); };
  return {{below(first.lower), above(first.upper), below(third.lower), above(third.upper)}};
}

void ScaleGuard::set_up(const RowMatrix& rows, std::span<const std::int32_t> members,
                        const ColumnQuartiles& quartiles, double variation) {
  drop();
  reach_ = reach_of(variation);
  if (members.size() < kFewest) return;
  count_ = members.size();
  stride_ = rows.stride();
  edges_.resize(4 * stride_);
  counts_.assign(4 * stride_, 0.0);
  // Padding columns have no rows outside their brackets.
  for (std::size_t e = 0; e < 4; ++e)
    std::fill_n(edges_.begin() + static_cast<std::ptrdiff_t>(e * stride_), stride_,
                e % 2 == 0 ? -kInfinity : kInfinity);
  // Assumes normal rows; the counts correct it.
  const double n = static_cast<double>(count_);
  const double reach = (std::max(1.0, reach_ * n) + 0.5) / (kNormalDensity * n);
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    const double first = quartiles.first(j), third = quartiles.third(j);
    const double by = reach * (third - first) / kNormalIqr;
    const double edges[4] = {first - by, first + by, third - by, third + by};
    for (std::size_t e = 0; e < 4; ++e) edges_[e * stride_ + j] = edges[e];
  }
  for (std::size_t first = 0; first < stride_; first += kLanes) count_group(rows, members, first);
  bracket_where(rows, members, [](std::size_t) { return true; });
  bound_scales(rows.cols());
}

void ScaleGuard::count_group(const RowMatrix& rows, std::span<const std::int32_t> members,
                             std::size_t first) {
  kernels().count_columns(rows[0] + first, stride_, members.data(), members.size(),
                          edges_.data() + first, stride_, counts_.data() + first);
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
  const bool renewed =
      bracket_where(rows, members, [&](std::size_t column) { return !inside(column, limit); });
  if (renewed) bound_scales(rows.cols());
  return narrow_;
}

// Edges need not be values, nor exactly at their ranks: the spacing between them gives their approximate place.
// Counting for eight columns, which share a cache line in every row, costs a tenth of selecting in one.
template <class Left>
bool ScaleGuard::bracket_where(const RowMatrix& rows, std::span<const std::int32_t> members,
                               Left left) {
  const std::size_t n = members.size();
  const auto reach =
      std::max<std::size_t>(1, static_cast<std::size_t>(reach_ * static_cast<double>(n)));
  const HazenPosition low = hazen_position(n, 0.25), high = hazen_position(n, 0.75);
  const Ranks ranks{low.lower - std::min(low.lower, reach), low.upper + reach, high.lower - reach,
                    std::min(high.upper + reach, n - 1)};
  const double tolerance = static_cast<double>(reach) / 2.0;
  const Limits limit = limits();
  bool any = false;
  for (std::size_t first = 0; first < rows.cols(); first += kLanes) {
    std::size_t columns[kLanes], count = 0;
    for (std::size_t j = first; j < std::min(first + kLanes, rows.cols()); ++j)
      if (left(j)) columns[count++] = j;
    if (count == 0) continue;
    any = true;
    for (int tries = 0; count > 0; ++tries) {
      std::size_t moved = 0;
      for (std::size_t c = 0; c < count; ++c) {
        const std::size_t column = columns[c];
        if (in_place(column, ranks, tolerance)) continue;
        if (tries < kMoves && shift(column, ranks))
          columns[moved++] = column;
        else if (!inside(column, limit))
          select(rows, members, column, ranks);
      }
      if (moved > 0) count_group(rows, members, first);
      count = moved;
    }
  }
  return any;
}

// Whether the counts place both quartiles of a column inside their brackets.
bool ScaleGuard::inside(std::size_t column, const Limits& limit) const {
  bool inside = true;
  for (std::size_t e = 0; e < 4; ++e) inside &= counts_[e * stride_ + column] <= limit.of[e];
  return inside;
}

// Whether all edges of a column are near enough to their ranks.
bool ScaleGuard::in_place(std::size_t column, const Ranks& ranks, double tolerance) const {
  const double last = static_cast<double>(count_ - 1);
  for (std::size_t e = 0; e < 4; ++e) {
    const double rank = static_cast<double>(ranks[e]), wanted = e % 2 == 0 ? rank : last - rank;
    if (!(std::abs(counts_[e * stride_ + column] - wanted) <= tolerance)) return false;
  }
  return true;
}

// Moves the edges of a column to their ranks, assuming rows evenly spaced between the edges.
bool ScaleGuard::shift(std::size_t column, const Ranks& ranks) {
  const double last = static_cast<double>(count_ - 1);
  double edges[4];
  for (std::size_t e = 0; e < 4; ++e) {
    const std::size_t low = e / 2 * 2 * stride_ + column, high = low + stride_;
    const double low_rank = counts_[low], high_rank = last - counts_[high];
    const double spacing = (edges_[high] - edges_[low]) / (high_rank - low_rank);
    const double target = static_cast<double>(ranks[e]);
    edges[e] = e % 2 == 0 ? edges_[low] + (target - low_rank) * spacing
                          : edges_[high] + (target - high_rank) * spacing;
    if (!std::isfinite(edges[e])) return false;
  }
  for (std::size_t e = 0; e < 4; ++e) edges_[e * stride_ + column] = edges[e];
  return true;
}

void ScaleGuard::select(const RowMatrix& rows, std::span<const std::int32_t> members,
                        std::size_t column, const Ranks& ranks) {
  gathered_.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) gathered_[i] = rows[members[i]][column];
  const std::span<double> values{gathered_};
  auto from = values.begin();  // values before one rank stay before the next
  for (std::size_t e = 0; e < 4; ++e) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(ranks[e]);
    std::nth_element(from, at, values.end());
    from = at;
    const double edge = *at;
    const auto outside =
        e % 2 == 0 ? std::count_if(values.begin(), at, [=](double value) { return value < edge; })
                   : std::count_if(at, values.end(), [=](double value) { return value > edge; });
    edges_[e * stride_ + column] = edge;
    counts_[e * stride_ + column] = static_cast<double>(outside);
  }
}

// A scale is (third - first quartile) / kNormalIqr, or 1 if that is too small. The factor cancels in gamma only if no
// scale is 1, so it stays.
void ScaleGuard::bound_scales(std::size_t dims) {
  double squares_at_most = 0.0, sum_at_least = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    const double widest = (edges_[3 * stride_ + j] - edges_[j]) / kNormalIqr;
    const double narrowest = (edges_[2 * stride_ + j] - edges_[stride_ + j]) / kNormalIqr;
    const bool constant = widest < kLeastQuartiles, may_coincide = narrowest < kLeastQuartiles;
    const double most = constant ? 1.0 : may_coincide ? std::max(widest, 1.0) : widest;
    squares_at_most += most * most;
    sum_at_least += constant ? 1.0 : may_coincide ? 0.0 : narrowest;
  }
  narrow_ = static_cast<double>(dims) * squares_at_most <= kSafely * sum_at_least * sum_at_least;
}

}  // namespace phida
