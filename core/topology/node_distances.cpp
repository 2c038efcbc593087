#include "topology/node_distances.hpp"

#include <algorithm>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// Up to this number of rows, all squares are kept: 128 MiB.
constexpr std::size_t kMostKept = 4096;

// Up to so many features, a square is summed again sooner than it is found in memory.
constexpr std::size_t kFewDims = 48;

// Rows of this many bytes are measured against all others before the next ones, so that they stay in the cache.
constexpr std::size_t kCachedBytes = 512 << 10;

}  // namespace

NodeDistances::NodeDistances(const RowMatrix& rows, std::size_t length)
    : rows_(rows),
      length_(std::min(length, rows.rows() - 1)),
      stride_(padded(rows.rows()) + kLanes) {
  const std::size_t n = rows.rows(), dims = rows.cols();
  BlockedRows blocks(dims);
  blocks.resize(n);
  for (std::size_t i = 0; i < n; ++i) blocks.set(i, rows[i]);
  nearest_.resize(n * length_);
  if (n <= kMostKept && dims > kFewDims) measure_all(blocks);
  AlignedDoubles lines(kept() ? 0 : kLanes * stride_);
  NearOrder order;
  for (std::size_t first = 0; first < n; first += kLanes) {
    const std::size_t last = std::min(n, first + kLanes);
    if (!kept()) measure_few(blocks, first, last, lines.data());
    for (std::size_t row = first; row < last; ++row) {
      const double* const line = kept() ? squares(row) : lines.data() + (row - first) * stride_;
      order.choose({line, n}, row, {nearest_.data() + row * length_, length_});
    }
  }
}

// Squares of up to eight rows to all rows, which are read once for all of them.
void NodeDistances::measure_few(const BlockedRows& blocks, std::size_t first, std::size_t last,
                                double* lines) const {
  const std::size_t block_size = kLanes * blocks.dims();
  double squares[kLanes * kLanes];
  for (std::size_t block = 0; block < blocks.blocks(); ++block) {
    kernels().block_squared_distances(blocks.data() + block * block_size, nullptr, rows_[first],
                                      static_cast<std::ptrdiff_t>(rows_.stride()), last - first,
                                      blocks.dims(), squares);
    for (std::size_t row = 0; row < last - first; ++row)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        lines[row * stride_ + block * kLanes + lane] = squares[row * kLanes + lane];
  }
}

// Distances are symmetric: each block of eight rows is measured against itself and later ones.
void NodeDistances::measure_all(const BlockedRows& blocks) {
  const std::size_t dims = rows_.cols(), n_blocks = blocks.blocks();
  squares_.resize(n_blocks * kLanes * stride_);
  const std::size_t block_bytes = kLanes * dims * sizeof(double);
  const std::size_t group = std::max<std::size_t>(1, kCachedBytes / block_bytes);
  AlignedDoubles strip(group * kLanes * kLanes);
  for (std::size_t first = 0; first < n_blocks; first += group) {
    const std::size_t last = std::min(n_blocks, first + group);
    for (std::size_t block = 0; block < last; ++block) {
      const std::size_t from = std::max(block, first);
      kernels().squared_distances_of_eight(blocks.data() + block * kLanes * dims, nullptr,
                                           blocks.data() + from * kLanes * dims, last - from, dims,
                                           strip.data());
      double* const lines = squares_.data() + block * kLanes * stride_;
      for (std::size_t row = from * kLanes; row < last * kLanes; ++row) {
        const double* const of_row = strip.data() + (row - from * kLanes) * kLanes;
        double* const line = squares_.data() + row * stride_ + block * kLanes;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
          line[lane] = lines[lane * stride_ + row] = of_row[lane];
      }
    }
  }
}

}  // namespace phida
