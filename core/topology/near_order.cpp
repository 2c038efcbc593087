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

// Number of squares sampled to estimate the reach of a row's list.
constexpr std::size_t kSampled = 256;

// Steps after which the search for a limit gives up.
constexpr int kMostSteps = 24;

// The upper half of the bits of a square has the order of the square, up to its precision.
std::int32_t key_of(double square) {
  return static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(square) >> 32);
}

}  // namespace

void NearOrder::sort(std::span<NearRow> rows) {
  if (rows.size() <= kFewRows)
    sort_few(rows);
  else
    sort_many(rows);
  sort_equal_keys(rows);
}

// Ranks of rows by their keys; equal keys keep their order.
void NearOrder::rank(std::span<const NearRow> rows) {
  const std::size_t n = rows.size(), filled = (n + 15) / 16 * 16;
  if (keys_.size() < filled) {
    keys_.resize(filled);
    ranks_.resize(filled);
    order_.resize(filled);
    moved_.resize(std::max(moved_.size(), filled));
  }
  for (std::size_t i = 0; i < n; ++i) keys_[i] = key_of(rows[i].square);
  for (std::size_t i = n; i < filled; ++i) keys_[i] = std::numeric_limits<std::int32_t>::max();
  kernels().ranks(keys_.data(), filled, ranks_.data());
}

std::span<const std::int32_t> NearOrder::of(std::span<const NearRow> rows) {
  rank(rows);
  const std::size_t n = rows.size();
  for (std::size_t i = 0; i < n; ++i) order_[ranks_[i]] = static_cast<std::int32_t>(i);
  // Only rows with equal keys are out of order.
  for (std::size_t i = 1; i < n; ++i) {
    const std::int32_t row = order_[i];
    std::size_t at = i;
    for (; at > 0 && rows[row] < rows[order_[at - 1]]; --at) order_[at] = order_[at - 1];
    order_[at] = row;
  }
  return {order_.data(), n};
}

void NearOrder::sort_few(std::span<NearRow> rows) {
  rank(rows);
  std::copy(rows.begin(), rows.end(), moved_.begin());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[ranks_[i]] = moved_[i];
}

void NearOrder::sort_many(std::span<NearRow> rows) {
  moved_.resize(std::max(moved_.size(), rows.size()));
  const std::span<NearRow> moved(moved_.data(), rows.size());
  const auto digit = [](int shift) {
    return [shift](const NearRow& row) {
      return static_cast<std::uint32_t>(key_of(row.square)) >> shift & kDigitMask;
    };
  };
  radix_pass<NearRow>(rows, moved, digit(0));
  radix_pass<NearRow>(moved, rows, digit(kDigitBits));
  radix_pass<NearRow>(rows, moved, digit(2 * kDigitBits));
  std::copy(moved.begin(), moved.end(), rows.begin());
}

// Rows are in the order of their keys.
void NearOrder::sort_equal_keys(std::span<NearRow> rows) const {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!(rows[i] < rows[i - 1])) continue;
    const std::int32_t key = key_of(rows[i].square);
    std::size_t first = i - 1, last = i + 1;
    while (first > 0 && key_of(rows[first - 1].square) == key) --first;
    while (last < rows.size() && key_of(rows[last].square) == key) ++last;
    std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
              rows.begin() + static_cast<std::ptrdiff_t>(last));
    i = last;
  }
}

double NearOrder::limit_for(std::span<const double> values, std::size_t least, std::size_t most) {
  double low = 0.0, high = kUnlimited, limit = last_limit_;
  for (int step = 0; step < kMostSteps; ++step) {
    const std::size_t count = kernels().count_up_to(values.data(), values.size(), limit);
    if (count >= least && count <= most) {
      last_limit_ = limit;
      return limit;
    }
    (count < least ? low : high) = limit;
    limit = high == kUnlimited ? 2.0 * limit : 0.5 * (low + high);
  }
  last_limit_ = high == kUnlimited ? 1.0 : high;
  return high;
}

// Collects the rows within an estimated limit, or all rows if the estimate was too low.
void NearOrder::choose(std::span<const double> squares, std::size_t self, std::span<NearRow> out) {
  const std::size_t n = squares.size(), step = std::max<std::size_t>(1, n / kSampled);
  double limit = kUnlimited;
  if (n > 2 * out.size() + kFewRows / 2) {
    sample_.clear();
    for (std::size_t i = 0; i < n; i += step) sample_.push_back(squares[i]);
    const double share = static_cast<double>(out.size() + 1) / static_cast<double>(step);
    const double least = step == 1 ? share : share + 2.0 * std::sqrt(share) + 2.0;
    limit = limit_for(sample_, static_cast<std::size_t>(std::ceil(least)),
                      static_cast<std::size_t>(1.4 * least) + 2);
  }
  positions_.resize(std::max(positions_.size(), n));
  for (;; limit = kUnlimited) {
    const std::size_t within =
        kernels().positions_up_to(squares.data(), n, limit, positions_.data());
    if (within < out.size() + 1 && limit < kUnlimited) continue;
    found_.clear();
    for (std::size_t f = 0; f < within; ++f)
      if (static_cast<std::size_t>(positions_[f]) != self)
        found_.push_back({squares[positions_[f]], positions_[f]});
    break;
  }
  sort(found_);
  std::copy_n(found_.begin(), out.size(), out.begin());
}

}  // namespace phida
