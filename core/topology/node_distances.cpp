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
  nearest_.resize(n * length_);
  if (n <= kMostKept) {
    measure_all(blocks);
    for (std::size_t i = 0; i < n; ++i) choose_nearest(i, {squares_.data() + i * n, n});
    return;
  }
  AlignedDoubles line(padded(n));
  for (std::size_t i = 0; i < n; ++i) {
    kernels().squared_distances(rows[i], nullptr, blocks.data(), blocks.blocks(), dims,
                                line.data());
    choose_nearest(i, {line.data(), n});
  }
}

// Eight rows at a time against those from them on; a distance is the same both ways.
void NodeDistances::measure_all(const BlockedRows& blocks) {
  const std::size_t n = rows_.rows(), dims = rows_.cols();
  squares_.resize(n * n);
  AlignedDoubles lines(padded(n) * kLanes);
  for (std::size_t block = 0; block < blocks.blocks(); ++block) {
    const std::size_t first = block * kLanes, last = std::min(n, first + kLanes);
    kernels().squared_distances_of_eight(blocks.data() + first * dims, nullptr,
                                         blocks.data() + first * dims, blocks.blocks() - block,
                                         dims, lines.data());
    for (std::size_t i = first; i < n; ++i) {
      const double* const line = lines.data() + (i - first) * kLanes;
      for (std::size_t j = first; j < last; ++j) squares_[i * n + j] = line[j - first];
    }
    for (std::size_t j = first; j < last; ++j)
      for (std::size_t i = last; i < n; ++i)
        squares_[j * n + i] = lines[(i - first) * kLanes + (j - first)];
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
