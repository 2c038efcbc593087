// Rows in blocks of eight, value (block, feature, lane), for the point-to-many kernels. Lanes without a row hold
// infinity, so that they are never nearest.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "numeric/row_matrix.hpp"

namespace phida {

class BlockedRows {
 public:
  BlockedRows() = default;
  explicit BlockedRows(std::size_t dims) : dims_(dims) {}

  std::size_t rows() const { return rows_; }
  std::size_t dims() const { return dims_; }
  std::size_t blocks() const { return (rows_ + kLanes - 1) / kLanes; }
  const double* data() const { return values_.data(); }

  void set(std::size_t row, const double* values) {
    double* to = values_.data() + offset(row);
    for (std::size_t j = 0; j < dims_; ++j) to[j * kLanes] = values[j];
  }

  void append(const double* values) {
    resize(rows_ + 1);
    set(rows_ - 1, values);
  }

  // Adds rows of infinities, or removes rows at the end.
  void resize(std::size_t rows) {
    const std::size_t old = rows_;
    rows_ = rows;
    values_.resize(blocks() * dims_ * kLanes, std::numeric_limits<double>::infinity());
    for (std::size_t i = rows; i < std::min(old, blocks() * kLanes); ++i) fill_with_infinity(i);
  }

  void assign(const RowMatrix& rows, std::span<const std::int32_t> members) {
    resize(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) set(i, rows[members[i]]);
  }

 private:
  std::size_t offset(std::size_t row) const { return row / kLanes * dims_ * kLanes + row % kLanes; }

  void fill_with_infinity(std::size_t row) {
    double* to = values_.data() + offset(row);
    for (std::size_t j = 0; j < dims_; ++j)
      to[j * kLanes] = std::numeric_limits<double>::infinity();
  }

  std::size_t dims_ = 0;
  std::size_t rows_ = 0;
  AlignedDoubles values_;
};

}  // namespace phida
