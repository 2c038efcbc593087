// The determinant of a symmetric matrix that gains one row at a time, from a growing Cholesky factor.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "numeric/elementary.hpp"

namespace phida::systems {

class GrowingDeterminant {
 public:
  std::size_t size() const { return size_; }

  // Logarithm of the determinant; minus infinity once the matrix is not positive definite.
  double log() const { return log_; }

  // `row` has size() + 1 entries, the diagonal last; it is overwritten.
  void append(std::vector<double>& row) {
    double pivot = row[size_];
    const double* factor = factor_.data();
    for (std::size_t i = 0; i < size_; factor += ++i) {
      row[i] = (row[i] - dot(factor, row.data(), i)) / factor[i];
      pivot -= row[i] * row[i];
    }
    row[size_] = std::sqrt(pivot);
    factor_.insert(factor_.end(), row.begin(), row.end());
    ++size_;
    log_ = pivot > 0.0 ? log_ + portable_log(pivot) : -std::numeric_limits<double>::infinity();
  }

  void clear() { *this = {}; }

 private:
  // Eight separate sums let the compiler vectorise without changing a bit.
  static double dot(const double* a, const double* b, std::size_t n) {
    double sums[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

  std::size_t size_ = 0;
  double log_ = 0.0;
  std::vector<double> factor_;  // rows of the lower triangle, concatenated
};

}  // namespace phida::systems
