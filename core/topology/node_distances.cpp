#include "topology/node_distances.hpp"

#include <algorithm>
#include <limits>

#include "numeric/blocked_rows.hpp"
#include "numeric/squares.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// Up to so many rows, all squares are kept: 128 MiB.
constexpr std::size_t kMostKept = 4096;

// One square in so many is looked at to guess how far the list of a row reaches.
constexpr std::size_t kSampled = 8;

}  // namespace

NodeDistances::NodeDistances(const RowMatrix& rows, std::size_t length)
    : rows_(rows), length_(std::min(length, rows.rows() - 1)) {
  const std::size_t n = rows.rows(), dims = rows.cols();
  BlockedRows blocks(dims);
  blocks.resize(n);
  for (std::size_t i = 0; i < n; ++i) blocks.set(i, rows[i]);
  if (n <= kMostKept) squares_.resize(n * n);
  nearest_.resize(n * length_);
  AlignedDoubles line(padded(n));
  for (std::size_t i = 0; i < n; ++i) {
    kernels().squared_distances(rows[i], nullptr, blocks.data(), blocks.blocks(), dims,
                                line.data());
    if (!squares_.empty()) std::copy_n(line.begin(), n, squares_.begin() + i * n);
    choose_nearest(i, {line.data(), n});
  }
}

double NodeDistances::measured(std::size_t a, std::size_t b) const {
  return square_in_order(rows_[a], rows_[b], nullptr, rows_.cols());
}

// Collects what is within a guessed limit, and all rows where the guess was too low.
void NodeDistances::choose_nearest(std::size_t row, std::span<const double> squares) {
  const std::size_t n = squares.size();
  double limit = std::numeric_limits<double>::infinity();
  sample_.clear();
  for (std::size_t i = 0; i < n; i += kSampled) sample_.push_back(squares[i]);
  const std::size_t rank = 2 * (length_ / kSampled) + 4;
  if (rank < sample_.size()) {
    std::nth_element(sample_.begin(), sample_.begin() + static_cast<std::ptrdiff_t>(rank),
                     sample_.end());
    limit = sample_[rank];
  }
  limits_.resize(n);
  positions_.resize(padded(n));
  for (;;) {
    std::fill(limits_.begin(), limits_.end(), limit);
    const std::size_t within =
        kernels().positions_within(squares.data(), limits_.data(), n, positions_.data());
    found_.clear();
    for (std::size_t f = 0; f < within; ++f)
      if (static_cast<std::size_t>(positions_[f]) != row)
        found_.push_back({squares[positions_[f]], positions_[f]});
    if (found_.size() >= length_) break;
    limit = std::numeric_limits<double>::infinity();
  }
  const auto end = found_.begin() + static_cast<std::ptrdiff_t>(length_);
  if (found_.size() > length_) std::nth_element(found_.begin(), end, found_.end());
  std::sort(found_.begin(), end);
  std::copy(found_.begin(), end, nearest_.begin() + static_cast<std::ptrdiff_t>(row * length_));
}

}  // namespace phida
