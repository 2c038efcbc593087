// The most recent samples (B of the spec), a ring of padded rows. Unlimited until a length is set, which happens
// after the first few samples.
#pragma once

#include <algorithm>
#include <cstddef>

#include "numeric/row_matrix.hpp"

namespace phida {

class SampleBuffer {
 public:
  explicit SampleBuffer(std::size_t dims) : rows_(dims) {}

  std::size_t dims() const { return rows_.cols(); }
  std::size_t size() const { return size_; }
  std::size_t kept() const { return keep_; }

  // Appends a sample. Returns its padded row, valid until the next call that changes the buffer.
  const double* append(const double* sample) {
    if (size_ == keep_ && keep_ != 0)
      --size_;
    else if (size_ == rows_.rows())
      reserve(std::max<std::size_t>(2 * size_, 4));
    newest_ = newest_ + 1 == rows_.rows() ? 0 : newest_ + 1;
    ++size_;
    std::copy_n(sample, rows_.cols(), rows_[newest_]);
    return rows_[newest_];
  }

  // The `age`-th newest sample; 0 is the newest.
  const double* recent(std::size_t age) const {
    return rows_[newest_ >= age ? newest_ - age : newest_ + rows_.rows() - age];
  }

  // Number of samples stored without a gap, from the `age`-th newest to older ones.
  // Each is one stride before the next newer one.
  std::size_t run(std::size_t age) const {
    return newest_ >= age ? newest_ - age + 1 : newest_ + rows_.rows() - age + 1;
  }
  std::size_t stride() const { return rows_.stride(); }

  // Keeps at most this many samples from now on.
  void keep(std::size_t length) {
    keep_ = length;
    size_ = std::min(size_, length);
    if (rows_.rows() < length) reserve(length);
  }

 private:
  void reserve(std::size_t capacity) {
    RowMatrix grown(rows_.cols());
    grown.resize(capacity);
    for (std::size_t i = 0; i < size_; ++i)
      std::copy_n(recent(size_ - 1 - i), rows_.stride(), grown[i]);
    newest_ = size_ == 0 ? capacity - 1 : size_ - 1;
    rows_ = std::move(grown);
  }

  RowMatrix rows_;
  std::size_t newest_ = 0;
  std::size_t size_ = 0;
  std::size_t keep_ = 0;  // 0 if not set yet
};

}  // namespace phida
