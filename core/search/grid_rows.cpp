#include "search/grid_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr std::size_t kBlock = 16;

// Extent of the grid relative to the rows: queries and later rows may be outside of the means.
constexpr double kRoom = 1.5;

// Maximum number of outermost rows left outside, so that they do not make the step coarse for all others.
constexpr std::size_t kMostOutside = 16, kRowsPerOutside = 32;

// More candidates than both limits, a number and a share of the rows, count as a failure.
constexpr std::size_t kFewLeft = 32, kShareLeft = 4;

constexpr double kRoundingSteps = 1e-3;
constexpr std::size_t kMostDims = std::size_t{1} << 20;

// Squares of distances between 1e-3 and 2^16 steps are normal doubles, for steps within these limits.
constexpr double kLeastStep = 1e-140, kMostStep = 1e140;

// A subnormal factor may round by more than a share of itself.
bool is_exact_enough(double factor) { return factor == 0.0 || std::isnormal(factor); }

// The largest coordinate of row - centre. Four at a time, since each comparison waits for the one before.
double extent_of(const double* row, const double* centre, const double* scaling, std::size_t dims) {
  double most[4] = {0.0, 0.0, 0.0, 0.0};
  const auto look = [&](std::size_t j, std::size_t lane) {
    const double off = std::abs(row[j] - centre[j]) * (scaling == nullptr ? 1.0 : scaling[j]);
    most[lane] = std::max(most[lane], off);
  };
  std::size_t j = 0;
  for (; j + 4 <= dims; j += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) look(j + lane, lane);
  for (; j < dims; ++j) look(j, 0);
  return *std::max_element(most, most + 4);
}

}  // namespace

GridRows::GridRows(std::size_t dims)
    : dims_(dims),
      pairs_((dims + 1) / 2),
      most_(std::min(16383.0,
                     std::floor(std::sqrt((0x1p31 - 2.0) / static_cast<double>(dims)) / 2.0))),
      centre_(padded(dims), 0.0),
      factor_(padded(dims), 0.0),
      place_(padded(dims), 0) {}

void GridRows::assign(const RowMatrix& rows, std::span<const std::int32_t> members,
                      const double* scaling) {
  lay(rows, members, scaling);
  failures_ = 0;
  squared_error_ = 0.0;
  outside_.clear();
  hidden_.clear();
  resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) set(i, rows[members[i]]);
  failures_ = 0;
}

// Computes centre and step. The means of all rows are a first centre; the second omits the outermost rows.
void GridRows::lay(const RowMatrix& rows, std::span<const std::int32_t> members,
                   const double* scaling) {
  const std::size_t n = members.size();
  usable_ = false;
  if (n < 2 || dims_ > kMostDims) return;
  const std::size_t outside = std::min(kMostOutside, n / kRowsPerOutside);
  double furthest = std::numeric_limits<double>::infinity();
  std::vector<double> extents(n, 0.0), ordered;
  for (int round = 0; round < 2; ++round) {
    std::fill(centre_.begin(), centre_.end(), 0.0);
    double count = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      if (extents[i] > furthest) continue;
      const double* const row = rows[members[i]];
      for (std::size_t j = 0; j < dims_; ++j) centre_[j] += row[j];
      count += 1.0;
    }
    for (double& c : centre_) c /= count;
    for (std::size_t i = 0; i < n; ++i)
      extents[i] = extent_of(rows[members[i]], centre_.data(), scaling, dims_);
    ordered = extents;
    const auto last = ordered.end() - 1 - static_cast<std::ptrdiff_t>(outside);
    std::nth_element(ordered.begin(), last, ordered.end());
    furthest = *last;
  }
  const double step = kRoom * furthest / most_;
  if (!(step >= kLeastStep && step <= kMostStep)) return;
  usable_ = true;
  for (std::size_t j = 0; j < dims_; ++j) {
    factor_[j] = (scaling == nullptr ? 1.0 : scaling[j]) / step;
    usable_ = usable_ && is_exact_enough(factor_[j]) && std::isfinite(centre_[j]);
  }
}

void GridRows::resize(std::size_t rows) {
  const std::size_t blocks = (rows + kBlock - 1) / kBlock;
  rows_ = rows;
  blocks_.resize(blocks * pairs_ * kBlock * 2);
  hidden_.resize(blocks * kBlock, std::numeric_limits<std::int32_t>::max());
}

void GridRows::append(const double* row) {
  resize(rows_ + 1);
  set(rows_ - 1, row);
}

void GridRows::set(std::size_t row, const double* values) {
  if (!usable_) return;
  const double square = kernels().grid_places(values, centre_.data(), factor_.data(), padded(dims_),
                                              most_, place_.data());
  const bool inside = std::isfinite(square);
  if (!inside) {
    ++failures_;
    if (std::find(outside_.begin(), outside_.end(), static_cast<std::int32_t>(row)) ==
        outside_.end())
      outside_.push_back(static_cast<std::int32_t>(row));
    hidden_[row] = std::numeric_limits<std::int32_t>::max();
    return;
  }
  squared_error_ = std::max(squared_error_, square);
  hidden_[row] = 0;
  std::int16_t* to = blocks_.data() + (row / kBlock * pairs_ * kBlock + row % kBlock) * 2;
  for (std::size_t p = 0; p < pairs_; ++p, to += kBlock * 2) {
    to[0] = place_[2 * p];
    to[1] = place_[2 * p + 1];
  }
}

std::span<const std::int32_t> GridRows::sieve(const double* query, GridSearch& search) const {
  if (!usable_) return {};
  auto& [place, squares, candidates] = search;
  place.resize(padded(dims_));
  const double off = kernels().grid_places(query, centre_.data(), factor_.data(), padded(dims_),
                                           most_, place.data());
  if (!std::isfinite(off)) return {};
  const double reach = 2.0 * (std::sqrt(off) + std::sqrt(squared_error_)) + kRoundingSteps;
  squares.resize(hidden_.size());
  candidates.resize(std::max(candidates.size(), hidden_.size() + outside_.size()));
  std::size_t found =
      kernels().sieve_grid(place.data(), blocks_.data(), hidden_.data(), hidden_.size() / kBlock,
                           pairs_, reach, squares.data(), candidates.data());
  if (found > kFewLeft + rows_ / kShareLeft) return {};
  for (const std::int32_t row : outside_) candidates[found++] = row;
  return {candidates.data(), found};
}

}  // namespace phida
