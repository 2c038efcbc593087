// Rows as floats, padded with zeros to a multiple of sixteen: half the memory traffic and half the additions for long
// rows. Distances to them differ from those to the rows themselves by at most `error`.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

using AlignedFloats = std::vector<float, CacheAligned<float>>;

class RoundedRows {
 public:
  explicit RoundedRows(std::size_t dims) : dims_(dims), stride_(padded((dims + 1) / 2) * 2) {}

  std::size_t rows() const { return values_.size() / stride_; }
  std::size_t stride() const { return stride_; }
  const float* data() const { return values_.data(); }

  // Upper bound of the distance between any row, present or since the last `assign`, and its rounded form. Infinite
  // if a value is beyond the float range.
  double error() const { return std::sqrt(squared_error_) * (1.0 + 1e-6); }

  // Upper bound of the norm of any such row.
  double largest_norm() const { return std::sqrt(largest_square_) * (1.0 + 1e-6); }

  void set(std::size_t row, const double* values) {
    float* const to = values_.data() + row * stride_;
    double sum = 0.0, square = 0.0;
    for (std::size_t j = 0; j < dims_; ++j) {
      to[j] = static_cast<float>(values[j]);
      const double difference = values[j] - to[j];
      sum += difference * difference;
      square += values[j] * values[j];
    }
    squared_error_ = std::max(squared_error_, sum);
    largest_square_ = std::max(largest_square_, square);
  }

  void append(const double* values) {
    resize(rows() + 1);
    set(rows() - 1, values);
  }

  void resize(std::size_t rows) { values_.resize(rows * stride_); }

  void assign(const RowMatrix& rows, std::span<const std::int32_t> members) {
    squared_error_ = largest_square_ = 0.0;
    resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) set(i, rows[members[i]]);
  }

 private:
  std::size_t dims_;
  std::size_t stride_;
  AlignedFloats values_;
  double squared_error_ = 0.0;
  double largest_square_ = 0.0;
};

}  // namespace phida
