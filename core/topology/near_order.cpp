#include "topology/near_order.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "numeric/radix_pass.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// Up to this number of rows, comparing all pairs is faster than passes over their digits.
constexpr std::size_t kFewRows = 192;

// Maximum number of steps of the search for a limit, and the smallest step as a share of the bracket.
constexpr int kMostSteps = 40;
constexpr double kLeastStep = 0.02, kFirstGrowth = 1.25, kMostGrowth = 1e60;

// Limits within this factor are divided linearly.
constexpr double kNear = 4.0;

// The upper half of the bits of a square has the order of the square, up to its precision.
std::int32_t key_of(double square) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(square) >> 32);
}

}  // namespace

void NearOrder::sort(std::span<NearRow> rows) {
  if (rows.size() > kFewRows) return sort_many(rows);
  const std::span<const NearRow> in_order = sorted(rows);
  std::copy(in_order.begin(), in_order.end(), rows.begin());
}

std::span<const NearRow> NearOrder::sorted(std::span<const NearRow> rows) {
  const std::size_t n = rows.size(), filled = (n + 15) / 16 * 16;
  if (keys_.size() < filled) {
    keys_.resize(filled);
    ranks_.resize(filled);
    moved_.resize(std::max(moved_.size(), filled));
  }
  for (std::size_t i = 0; i < n; ++i) keys_[i] = key_of(rows[i].square);
  for (std::size_t i = n; i < filled; ++i) keys_[i] = std::numeric_limits<std::int32_t>::max();
  kernels().ranks(keys_.data(), filled, ranks_.data());
  for (std::size_t i = 0; i < n; ++i) moved_[ranks_[i]] = rows[i];
  // Only rows with equal keys are out of order.
  for (std::size_t i = 1; i < n; ++i) {
    if (moved_[i - 1].square < moved_[i].square) continue;
    const NearRow row = moved_[i];
    std::size_t at = i;
    for (; at > 0 && row < moved_[at - 1]; --at) moved_[at] = moved_[at - 1];
    moved_[at] = row;
  }
  return {moved_.data(), n};
}

// By the highest two digits in which keys differ, and then among rows that have these in common.
void NearOrder::sort_many(std::span<NearRow> rows) {
  moved_.resize(std::max(moved_.size(), rows.size()));
  const std::span<NearRow> moved(moved_.data(), rows.size());
  std::int32_t least = key_of(rows[0].square), most = least;
  for (const NearRow& row : rows) {
    least = std::min(least, key_of(row.square));
    most = std::max(most, key_of(row.square));
  }
  const auto range = static_cast<std::uint32_t>(most) - static_cast<std::uint32_t>(least);
  const int shift = std::max(static_cast<int>(std::bit_width(range)) - 2 * kDigitBits, 0);
  const auto key = [&](const NearRow& row) {
    return (static_cast<std::uint32_t>(key_of(row.square)) - static_cast<std::uint32_t>(least)) >>
           shift;
  };
  radix_pass<NearRow>(rows, moved, [&](const NearRow& row) { return key(row) & kDigitMask; });
  radix_pass<NearRow>(moved, rows, [&](const NearRow& row) { return key(row) >> kDigitBits; });
  for (std::size_t first = 0, last = 1; first < rows.size(); first = last++) {
    while (last < rows.size() && key(rows[last]) == key(rows[first])) ++last;
    if (last - first > 1)
      std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
                rows.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

// Steps grow until there are a lower and an upper bound of the limit.
double limit_for(std::span<const double> values, std::size_t least, std::size_t most,
                 double guess) {
  double low = 0.0, high = kUnlimited, limit = guess, growth = kFirstGrowth;
  std::size_t n_low = 0, n_high = 0;
  int stalled = 0;  // equal values leave no limit between two counts
  for (int step = 0; step < kMostSteps && stalled < 3; ++step) {
    const std::size_t count = kernels().count_up_to(values.data(), values.size(), limit);
    if (count >= least && count <= most) return limit;
    if (high <= kNear * low) stalled += count == n_low || count == n_high;
    (count < least ? low : high) = limit;
    (count < least ? n_low : n_high) = count;
    if (low == 0.0 || high == kUnlimited) {
      limit = count < least ? limit * growth : limit / growth;
      growth = std::min(growth * growth, kMostGrowth);
    } else if (high > kNear * low) {
      limit = std::sqrt(low) * std::sqrt(high);
    } else {
      // Every second time in the middle, since counts may grow very unevenly.
      const double share =
          step % 2 == 0 ? 0.5
                        : (0.5 * static_cast<double>(least + most) - static_cast<double>(n_low)) /
                              static_cast<double>(n_high - n_low);
      limit = low + std::clamp(share, kLeastStep, 1.0 - kLeastStep) * (high - low);
    }
    if (!(limit > low && limit < high)) break;
  }
  return high;
}

// Collects the rows within a limit, which is near that of the last row.
void NearOrder::choose(std::span<const double> squares, std::size_t self, std::span<NearRow> out) {
  const std::size_t n = squares.size(), wanted = out.size() + 1;  // with the row itself
  double limit = kUnlimited;
  if (n > wanted + wanted / 4) {
    limit = limit_for(squares, wanted, wanted + wanted / 4, last_limit_);
    if (limit > 0.0 && limit < kUnlimited) last_limit_ = limit;
  }
  positions_.resize(std::max(positions_.size(), n));
  found_.resize(std::max(found_.size(), n));
  const std::size_t within = kernels().positions_up_to(squares.data(), n, limit, positions_.data());
  std::size_t found = 0;
  for (std::size_t f = 0; f < within; ++f) {
    found_[found] = {squares[positions_[f]], positions_[f]};
    found += static_cast<std::size_t>(positions_[f]) != self;
  }
  const std::span<NearRow> rows(found_.data(), found);
  sort(rows);
  std::copy_n(rows.begin(), out.size(), out.begin());
}

}  // namespace phida
