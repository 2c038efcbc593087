#include "search/close_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr std::size_t kRowsOfBlock = 16;

// Bytes of rows that are measured against all others before the next ones, so that they stay in the cache.
constexpr std::size_t kCachedBytes = 512 << 10;

// The centre is the median of this many rows.
constexpr std::size_t kRowsOfMedian = 31;

constexpr double kFloatRounding = 0x1p-24, kSlack = 0x1p-20;

// Rows with a coordinate farther from the centre than this many units have no point.
constexpr double kFarthest = 0x1p50;

// Squares in units between these powers of two neither underflow nor overflow.
constexpr double kLeastUnit = 0x1p-400, kMostUnit = 0x1p400;

// Products are far below this: they are at most 2^20 features times the square of kFarthest.
constexpr double kMostProduct = 1e38;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void ClosePairs::assign(const RowMatrix& rows, const double* scaling) {
  dims_ = rows.cols();
  const std::size_t n = rows.rows(), parts = (dims_ + kProductTerms - 1) / kProductTerms;
  const double terms = static_cast<double>(std::min(dims_, kProductTerms) + parts + 2);
  product_error_ = 1.01 * (terms + 1.0) * kFloatRounding;
  group_ = std::max<std::size_t>(1, kCachedBytes / (kRowsOfBlock * dims_ * sizeof(float)));
  norm_.assign(n, 0.0);
  off_.assign(n, kInfinity);
  blocks_.assign(blocks() * kRowsOfBlock * dims_, 0.0f);
  least_.resize(blocks() * kRowsOfBlock);
  lay(rows, scaling);
  for (std::size_t i = 0; i < n; ++i) set(i, rows[i]);
}

void ClosePairs::lay(const RowMatrix& rows, const double* scaling) {
  const std::size_t n = rows.rows(), step = std::max<std::size_t>(1, n / kRowsOfMedian);
  centre_.resize(dims_);
  factor_.resize(dims_);
  std::vector<double> values;
  for (std::size_t j = 0; j < dims_; ++j) {
    values.clear();
    for (std::size_t i = 0; i < n; i += step) values.push_back(rows[i][j]);
    centre_[j] = median(values);
    factor_[j] = scaling == nullptr ? 1.0 : scaling[j];
  }
  const auto extent_of = [&](const double* row) {
    double most = 0.0;
    for (std::size_t j = 0; j < dims_; ++j)
      most = std::max(most, std::abs(row[j] - centre_[j]) * factor_[j]);
    return most;
  };
  values.clear();
  for (std::size_t i = 0; i < n; i += step) values.push_back(extent_of(rows[i]));
  double extent = median(values);
  for (std::size_t i = 0; i < n && extent == 0.0; ++i) extent = extent_of(rows[i]);
  const bool usable = extent > kLeastUnit && extent < kMostUnit;
  unit_ = usable ? std::ldexp(1.0, -std::ilogb(extent)) : 0.0;
  for (double& factor : factor_) factor *= unit_;
}

void ClosePairs::set(std::size_t row, const double* values) {
  float* const to = blocks_.data() + row / kRowsOfBlock * dims_ * kRowsOfBlock + row % kRowsOfBlock;
  double norm = 0.0, error = 0.0, farthest = 0.0;
  for (std::size_t j = 0; j < dims_; ++j) {
    const double value = (values[j] - centre_[j]) * factor_[j];
    const auto rounded = static_cast<float>(std::clamp(value, -kFarthest, kFarthest));
    const double gap = value - static_cast<double>(rounded);
    to[j * kRowsOfBlock] = rounded;
    norm += static_cast<double>(rounded) * static_cast<double>(rounded);
    error += gap * gap;
    farthest = std::max(farthest, std::abs(value));
  }
  if (unit_ > 0.0 && farthest <= kFarthest && norm < kInfinity) {
    const double rounding = 2.0 * error + 0x1p-96 * norm;
    norm_[row] = norm;
    off_[row] = product_error_ * norm + 2.0 * (1.0 + 1.0 / kSlack) * rounding +
                static_cast<double>(dims_) * 0x1p-140;
    return;
  }
  for (std::size_t j = 0; j < dims_; ++j) to[j * kRowsOfBlock] = 0.0f;
  norm_[row] = 0.0;
  off_[row] = kInfinity;
}

std::span<const ClosePairs::Pair> ClosePairs::of_eight(std::size_t eight,
                                                       std::span<const double> limits) {
  set_limits(limits);
  return find(eight, 0, blocks());
}

// A pair is within its limits only if 2 p >= n_a + n_b - off_a - off_b - (1 + s) (limit_a + limit_b).
void ClosePairs::set_limits(std::span<const double> limits) {
  std::fill(least_.begin(), least_.end(), std::numeric_limits<float>::infinity());
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (limits[i] == -kInfinity) continue;
    const double within = (1.0 + 2.0 * kSlack) * limits[i] * unit_ * unit_;
    const double least = (norm_[i] - off_[i] - within) / 2.0;
    // Room for its rounding to a float, and for that of the sum of two.
    least_[i] = off_[i] == kInfinity || least < -kMostProduct
                    ? -std::numeric_limits<float>::infinity()
                    : static_cast<float>(least - 4.0 * kFloatRounding * std::abs(least));
  }
}

std::span<const ClosePairs::Pair> ClosePairs::find(std::size_t eight, std::size_t from,
                                                   std::size_t to) {
  const std::size_t most = (to - from) * kRowsOfBlock * kLanes;
  found_.resize(std::max(found_.size(), most));
  products_.resize(found_.size());
  const float* const points =
      blocks_.data() + eight / 2 * dims_ * kRowsOfBlock + eight % 2 * kLanes;
  const std::size_t found = kernels().products_from(
      points, least_.data() + eight * kLanes, blocks_.data() + from * dims_ * kRowsOfBlock,
      least_.data() + from * kRowsOfBlock, to - from, dims_, found_.data(), products_.data());
  pairs_.clear();
  for (std::size_t f = 0; f < found; ++f) {
    const auto lane = static_cast<std::size_t>(found_[f]) % kLanes;
    const std::size_t a = eight * kLanes + lane;
    const std::size_t b = from * kRowsOfBlock + static_cast<std::size_t>(found_[f]) / kLanes;
    const double square =
        norm_[a] + norm_[b] - 2.0 * static_cast<double>(products_[f]) - off_[a] - off_[b];
    const double least = square > 0.0 ? square / (1.0 + 2.0 * kSlack) / unit_ / unit_ : 0.0;
    pairs_.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), least});
  }
  return pairs_;
}

}  // namespace phida
