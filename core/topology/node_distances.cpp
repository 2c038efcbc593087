#include "topology/node_distances.hpp"

#include <algorithm>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// Up to this number of rows, all squares are kept: 64 MiB.
constexpr std::size_t kMostKept = 4096;

// Up to so many features, a square is summed again sooner than it is found in memory.
constexpr std::size_t kFewDims = 48;

// Rows of this many bytes are measured against all others before the next ones, so that they stay in the cache.
constexpr std::size_t kCachedBytes = 512 << 10;

}  // namespace

NodeDistances::NodeDistances(const RowMatrix& rows, std::size_t length)
    : rows_(rows), length_(std::min(length, rows.rows() - 1)) {
  const std::size_t n = rows.rows(), dims = rows.cols();
  BlockedRows blocks(dims);
  blocks.resize(n);
  for (std::size_t i = 0; i < n; ++i) blocks.set(i, rows[i]);
  nearest_.resize(n * length_);
  if (n <= kMostKept && dims > kFewDims) measure_all(blocks);
  const std::size_t stride =
      padded(n) + kLanes;  // not a power of two: the lines would compete for the same cache sets
  AlignedDoubles lines(stride * kLanes);
  NearOrder order;
  for (std::size_t first = 0; first < n; first += kLanes) {
    if (!squares_.empty()) gather_block(first / kLanes, lines.data(), stride);
    for (std::size_t row = first; row < std::min(n, first + kLanes); ++row) {
      double* const line = lines.data() + (row - first) * stride;
      if (squares_.empty())
        kernels().squared_distances(rows[row], nullptr, blocks.data(), blocks.blocks(), dims, line);
      order.choose({line, n}, row, {nearest_.data() + row * length_, length_});
    }
  }
}

void NodeDistances::measure_all(const BlockedRows& blocks) {
  const std::size_t dims = rows_.cols(), n_blocks = blocks.blocks();
  std::size_t size = 0;
  for (std::size_t block = 0; block < n_blocks; ++block) {
    start_.push_back(size - block * kLanes * kLanes);
    size += (n_blocks - block) * kLanes * kLanes;
  }
  squares_.resize(size);
  const std::size_t block_bytes = kLanes * dims * sizeof(double);
  const std::size_t group = std::max<std::size_t>(1, kCachedBytes / block_bytes);
  for (std::size_t first = 0; first < n_blocks; first += group) {
    const std::size_t last = std::min(n_blocks, first + group);
    for (std::size_t strip = 0; strip < last; ++strip) {
      const std::size_t from = std::max(strip, first);
      kernels().squared_distances_of_eight(
          blocks.data() + strip * kLanes * dims, nullptr, blocks.data() + from * kLanes * dims,
          last - from, dims, squares_.data() + start_[strip] + from * kLanes * kLanes);
    }
  }
}

// The squares of eight rows to all rows, a line each.
void NodeDistances::gather_block(std::size_t block, double* lines, std::size_t stride) const {
  const std::size_t first = block * kLanes, n_blocks = start_.size();
  for (std::size_t strip = 0; strip <= block; ++strip) {
    const double* const from = squares_.data() + start_[strip] + first * kLanes;
    double* const to = lines + strip * kLanes;
    for (std::size_t r = 0; r < kLanes; ++r)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        to[r * stride + lane] = from[r * kLanes + lane];
  }
  for (std::size_t other = block + 1; other < n_blocks; ++other) {
    const double* const from = squares_.data() + start_[block] + other * kLanes * kLanes;
    double* const to = lines + other * kLanes;
    for (std::size_t r = 0; r < kLanes; ++r)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        to[r * stride + lane] = from[lane * kLanes + r];
  }
}

void NodeDistances::squares(std::size_t row, const std::int32_t* others, std::size_t n,
                            double* out) const {
  if (squares_.empty())
    return kernels().squares_to_rows(rows_[row], nullptr, rows_[0], rows_.stride(), others, n, out);
  for (std::size_t i = 0; i < n; ++i) {
    const auto other = static_cast<std::size_t>(others[i]);
    const std::size_t low = std::min(row, other), high = std::max(row, other);
    out[i] = squares_[start_[low / kLanes] + high * kLanes + low % kLanes];
  }
}

}  // namespace phida
