// The nearest fine node to a row, exactly: by squared distance, summed feature by feature; ties to the lower index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/grid_rows.hpp"

namespace phida {

struct Nearest {
  std::int32_t node = 0;
  double square = 0.0;
};

class NearestNode {
 public:
  explicit NearestNode(std::size_t dims);

  // Replaces all rows. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, const double* scaling);
  void append(const double* row);
  void set(std::size_t node, const double* row);

  // `rows` must be those given to the search, at least one. `query` is padded with zeros.
  Nearest find(const double* query, const RowMatrix& rows);

 private:
  void lay_grid(const RowMatrix& rows);
  std::span<const std::int32_t> sieve_doubles(const double* query, const RowMatrix& rows);
  std::span<const std::int32_t> nearest_of(std::span<const std::int32_t> candidates,
                                           const double* query, const RowMatrix& rows);
  const double* scaling() const { return scaling_.empty() ? nullptr : scaling_.data(); }

  AlignedDoubles scaling_;  // scaling of the metric; empty for none
  GridRows grid_;
  GridSearch search_;
  double slack_;  // factor between sums of doubles in different orders
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
};

}  // namespace phida
