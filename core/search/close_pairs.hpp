// Finds the pairs of rows that can be close to each other, by products of rows rounded to floats.
//
// A row's point is v = (row - centre) * factor, where factor = scaling * unit, and r is v rounded to floats. The centre is
// a median, and the unit a power of two that brings most coordinates near 1, so that far rows do not matter to others.
//
// Proof that bounds hold. Let n be |r|^2 for each row, and p the sum of products of two rows a and b as floats. A sum of t
// floats is off by at most t 2^-24 / (1 - t 2^-24) times the sum of the absolute terms, so p is off by at most half of
// product_error * (n_a + n_b), where t is a part's terms, the number of parts, and two for each product and the last sum.
// Hence |r_a - r_b|^2 >= n_a + n_b - 2 p - product_error * (n_a + n_b). Let e be the distance between v and r. By the
// triangle inequality and (x + y)^2 <= (1 + s) x^2 + (1 + 1/s) y^2, the square of the distance between both v is at least
// (|r_a - r_b|^2 - 2 (1 + 1/s) (e_a^2 + e_b^2)) / (1 + s), for s = kSlack. Both subtractions are sums of one value per
// row, `off`. It also has room for rounding in v (three times, relative to |v|), in n, and for products that underflow.
// The divisor has room for the rounding of squares summed by the caller, up to 2^20 features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

class ClosePairs {
 public:
  struct Pair {
    std::int32_t a = 0, b = 0;
    double least = 0.0;  // a lower bound of the squared distance
  };

  // Takes all rows. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, const double* scaling);
  void set(std::size_t row, const double* values);

  // The pairs of a row of this half block of eight and any row whose squared distance can be at most the sum of their
  // limits. A row with a limit of -infinity is left out. Pairs with the row itself are included.
  std::span<const Pair> of_eight(std::size_t eight, std::span<const double> limits);

  // Calls visit(pair) for each such pair of all rows once, with a < b.
  template <class Visit>
  void visit(std::span<const double> limits, Visit visit) {
    set_limits(limits);
    for (std::size_t first = 0; first < blocks(); first += group_)
      for (std::size_t eight = 0; eight < std::min(2 * blocks(), 2 * (first + group_)); ++eight)
        for (const Pair& pair :
             find(eight, std::max(eight / 2, first), std::min(blocks(), first + group_)))
          if (pair.a < pair.b) visit(pair);
  }

 private:
  std::size_t blocks() const { return (off_.size() + 15) / 16; }
  void lay(const RowMatrix& rows, const double* scaling);
  void set_limits(std::span<const double> limits);
  std::span<const Pair> find(std::size_t eight, std::size_t from, std::size_t to);

  std::size_t dims_ = 0, group_ = 1;
  double product_error_ = 0.0, unit_ = 0.0;
  AlignedDoubles centre_, factor_;
  AlignedFloats blocks_;       // (block, feature, one of 16)
  AlignedDoubles norm_, off_;  // per row: n and off; off is infinite for rows without a point
  AlignedFloats least_;        // per row; the products of close pairs are at least the sum of both
  std::vector<std::int32_t> found_;
  std::vector<float> products_;
  std::vector<Pair> pairs_;
};

}  // namespace phida
