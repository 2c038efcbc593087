// Rows of doubles, each padded with zeros to a multiple of eight, so that vector kernels need no tail.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <new>
#include <span>
#include <vector>

namespace phida {

// Every row starts on a cache line; 64 bytes is also the widest vector in use.
template <class T>
struct CacheAligned {
  using value_type = T;
  CacheAligned() = default;
  template <class U>
  CacheAligned(const CacheAligned<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{64}); }
  template <class U>
  bool operator==(const CacheAligned<U>&) const {
    return true;
  }
};

using AlignedDoubles = std::vector<double, CacheAligned<double>>;
using AlignedFloats = std::vector<float, CacheAligned<float>>;

constexpr std::size_t kLanes = 8;

constexpr std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Keeps only the values at the positions in `kept` (ascending), in order.
template <class Values>
void keep_values(Values& values, std::span<const std::size_t> kept) {
  for (std::size_t to = 0; to < kept.size(); ++to) values[to] = values[kept[to]];
  values.resize(kept.size());
}

class RowMatrix {
 public:
  RowMatrix() = default;
  explicit RowMatrix(std::size_t cols) : cols_(cols), stride_(padded(cols)) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }

  double* operator[](std::size_t i) {
    assert(i < rows_);
    return values_.data() + i * stride_;
  }
  const double* operator[](std::size_t i) const {
    assert(i < rows_);
    return values_.data() + i * stride_;
  }

  // `row` holds at least cols() values.
  void append(const double* row) {
    values_.resize((rows_ + 1) * stride_);
    std::copy_n(row, cols_, values_.data() + rows_ * stride_);
    ++rows_;
  }

  void resize(std::size_t rows) {
    values_.resize(rows * stride_);
    rows_ = rows;
  }

  // Keeps only the rows listed in `kept` (ascending), in order.
  void keep(std::span<const std::size_t> kept) {
    for (std::size_t to = 0; to < kept.size(); ++to) {
      if (kept[to] != to)
        std::copy_n(values_.data() + kept[to] * stride_, stride_, values_.data() + to * stride_);
    }
    resize(kept.size());
  }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
  AlignedDoubles values_;
};

}  // namespace phida
