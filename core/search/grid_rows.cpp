#include "search/grid_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr std::size_t kBlock = 16;

// Extent of the grid relative to the rows: queries and later rows may lie outside the range of the means.
constexpr double kRoom = 1.5;

// Maximum number of outermost rows left outside, so that they do not make the step coarse for all others.
constexpr std::size_t kMostOutside = 16, kRowsPerOutside = 32;

// More candidates than both limits, a number and a share of the rows, count as a failure.
constexpr std::size_t kFewLeft = 32, kShareLeft = 4;

constexpr double kRoundingSteps = 1e-3;
constexpr std::size_t kMostDims = std::size_t{1} << 20;

// From this number of feature pairs on, giving up far rows makes up for reading them again for each query.
constexpr std::size_t kGivenUpPairs = 48;

constexpr std::int32_t kHidden = GridSquares::kHidden;

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

// Copies pairs of coordinates into a block.
void copy_pairs(const std::int16_t* places, std::size_t pairs, std::int16_t* to) {
  for (std::size_t p = 0; p < pairs; ++p, to += kBlock * 2) {
    to[0] = places[2 * p];
    to[1] = places[2 * p + 1];
  }
}

void double_and_negate(std::vector<std::int16_t>& places) {
  for (std::int16_t& place : places) place = static_cast<std::int16_t>(-2 * place);
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
  blocks_.clear();
  norms_.clear();
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
  step_ = step;
  for (std::size_t j = 0; j < dims_; ++j) {
    factor_[j] = (scaling == nullptr ? 1.0 : scaling[j]) / step;
    usable_ = usable_ && is_exact_enough(factor_[j]) && std::isfinite(centre_[j]);
  }
}

void GridRows::resize(std::size_t rows) {
  const std::size_t blocks = (rows + kBlock - 1) / kBlock;
  rows_ = rows;
  blocks_.resize(blocks * pairs_ * kBlock * 2);
  norms_.resize(blocks * kBlock, kHidden);
}

void GridRows::append(const double* row) {
  resize(rows_ + 1);
  set(rows_ - 1, row);
}

void GridRows::set(std::size_t row, const double* values) {
  if (!usable_) return;
  last_ = row;
  const auto number = static_cast<std::int32_t>(row);
  if (norms_[row] == kHidden) std::erase(outside_, number);
  const double square = kernels().grid_places(values, centre_.data(), factor_.data(), padded(dims_),
                                              most_, place_.data(), &norms_[row]);
  if (std::isfinite(square)) {
    squared_error_ = std::max(squared_error_, square);
  } else {
    ++failures_;
    outside_.push_back(number);
    norms_[row] = kHidden;
    std::fill(place_.begin(), place_.end(), std::int16_t{0});
  }
  copy_pairs(place_.data(), pairs_,
             blocks_.data() + (row / kBlock * pairs_ * kBlock + row % kBlock) * 2);
}

// Twice the largest error of both points.
double GridRows::reach(double off) const {
  return 2.0 * (off + std::sqrt(squared_error_)) + kRoundingSteps;
}

std::span<const std::int32_t> GridRows::sieve(const double* query, GridSearch& search,
                                              std::size_t count, double error) const {
  if (!usable_) return {};
  search.place.resize(padded(dims_));
  search.off = std::sqrt(kernels().grid_places(query, centre_.data(), factor_.data(), padded(dims_),
                                               most_, search.place.data(), &search.norm));
  if (!std::isfinite(search.off)) return {};
  search.squares.resize(norms_.size());
  search.candidates.resize(std::max(search.candidates.size(), norms_.size() + outside_.size()));
  search.given_up = pairs_ >= kGivenUpPairs || count > 1;
  if (!search.given_up) measure(search);
  const double within = reach(search.off + error / step_);
  return with_outside(search.given_up
                          ? kernels().sieve_grid(search.place.data(), blocks_.data(), norms_.data(),
                                                 blocks(), pairs_, count, within,
                                                 search.squares.data(), search.candidates.data())
                          : kernels().squares_within(search.squares.data(), blocks(), search.least,
                                                     search.norm, within, search.candidates.data()),
                      search);
}

void GridRows::measure(GridSearch& search) const {
  double_and_negate(search.place);
  kernels().grid_squares(search.place.data(), 1, 1, blocks_.data(), norms_.data(),
                         search.squares.size() / kBlock, pairs_, search.squares.data(), 0,
                         &search.least);
}

void GridRows::measure(const RowMatrix& queries, std::size_t from, GridBatch& batch) const {
  batch.size = std::min(queries.rows() - from, GridBatch::kMost);
  batch.place.resize(padded(dims_));
  batch.points.assign(pairs_ * kBlock * 2, 0);
  for (std::size_t q = 0; q < batch.size; ++q) {
    const double off =
        kernels().grid_places(queries[from + q], centre_.data(), factor_.data(), padded(dims_),
                              most_, batch.place.data(), &batch.norm[q]);
    batch.off[q] = std::sqrt(off);
    if (!std::isfinite(off)) continue;
    double_and_negate(batch.place);
    copy_pairs(batch.place.data(), pairs_, batch.points.data() + q * 2);
  }
  // Room for the rows appended before the next pass. An odd number of cache lines, so that the queries' squares are in
  // different sets of the cache.
  batch.stride = ((blocks() + 1) | 1) * kBlock;
  batch.squares.resize(GridBatch::kMost * batch.stride);
  kernels().grid_squares(batch.points.data(), kBlock, (batch.size + kLanes - 1) / kLanes * kLanes,
                         blocks_.data(), norms_.data(), blocks(), pairs_, batch.squares.data(),
                         batch.stride, batch.least);
  for (std::size_t q = 0; q < batch.size; ++q)
    std::fill(batch.squares.begin() + static_cast<std::ptrdiff_t>(q * batch.stride + norms_.size()),
              batch.squares.begin() + static_cast<std::ptrdiff_t>((q + 1) * batch.stride), kHidden);
}

// The queries are a block of rows here, and the row is the only point.
void GridRows::update_last(GridBatch& batch) const {
  if (norms_[last_] == kHidden) return hide_last(batch);
  std::int32_t squares[kBlock], least;
  constexpr std::int32_t kNoNorms[kBlock] = {};
  kernels().grid_squares(place_.data(), 1, 1, batch.points.data(), kNoNorms, 1, pairs_, squares, 0,
                         &least);
  for (std::size_t q = 0; q < batch.size; ++q) {
    std::int32_t& at = batch.squares[q * batch.stride + last_];
    const std::int32_t now = norms_[last_] + squares[q];
    if (now < batch.least[q] || at == batch.least[q]) batch.least[q] = now;
    at = now;
  }
}

void GridRows::hide_last(GridBatch& batch) const {
  for (std::size_t q = 0; q < batch.size; ++q) {
    const auto first = batch.squares.begin() + static_cast<std::ptrdiff_t>(q * batch.stride);
    first[static_cast<std::ptrdiff_t>(last_)] = kHidden;
    batch.least[q] = *std::min_element(first, first + static_cast<std::ptrdiff_t>(batch.stride));
  }
}

std::span<const std::int32_t> GridRows::sieve(const GridBatch& batch, std::size_t query,
                                              GridSearch& search) const {
  if (!std::isfinite(batch.off[query])) return {};
  std::vector<std::int32_t>& candidates = search.candidates;
  candidates.resize(std::max(candidates.size(), norms_.size() + outside_.size()));
  return with_outside(kernels().squares_within(batch.squares.data() + query * batch.stride,
                                               blocks(), batch.least[query], batch.norm[query],
                                               reach(batch.off[query]), candidates.data()),
                      search);
}

GridSquares GridRows::squares(GridSearch& search) const {
  if (!usable_ || !std::isfinite(search.off)) return {};
  if (search.given_up) measure(search);
  search.given_up = false;
  return {search.squares, search.norm, search.off, std::sqrt(squared_error_), step_};
}

GridSquares GridRows::squares(const GridBatch& batch, std::size_t query) const {
  if (!std::isfinite(batch.off[query])) return {};
  return {{batch.squares.data() + query * batch.stride, norms_.size()},
          batch.norm[query],
          batch.off[query],
          std::sqrt(squared_error_),
          step_};
}

std::span<const std::int32_t> GridRows::with_outside(std::size_t found, GridSearch& search) const {
  if (found > kFewLeft + rows_ / kShareLeft) return {};
  for (const std::int32_t row : outside_) search.candidates[found++] = row;
  return {search.candidates.data(), found};
}

}  // namespace phida
