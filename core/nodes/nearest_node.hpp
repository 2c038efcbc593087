// The nearest of the fine nodes to a row, exactly: by squared distance, summed feature by feature; ties to the lower
// index.
#pragma once

#include <cstdint>
#include <vector>

#include "numeric/blocked_rows.hpp"
#include "numeric/rounded_rows.hpp"

namespace phida {

struct Nearest {
  std::int32_t node = 0;
  double square = 0.0;
};

class NearestNode {
 public:
  explicit NearestNode(std::size_t dims);

  // Takes all rows anew. `scaling` is that of the metric, or null.
  void assign(const RowMatrix& rows, const double* scaling);
  void append(const double* row);
  void set(std::size_t node, const double* row);

  // `rows` are the same that the search was given, at least one. `query` is padded with zeros.
  Nearest find(const double* query, const RowMatrix& rows);

 private:
  Nearest find_by_blocks(const double* query, const RowMatrix& rows);
  Nearest find_by_sieve(const double* query, const RowMatrix& rows);
  const double* scaled(const double* row);
  const double* scaling() const { return scaling_.empty() ? nullptr : scaling_.data(); }

  bool wide_;               // many features: rows are sieved as floats, in the metric
  AlignedDoubles scaling_;  // of the metric; empty for none
  BlockedRows blocks_;      // unless wide
  RoundedRows rounded_;     // if wide
  double float_slack_,
      slack_;  // how far sums of floats, and of doubles in another order, may differ, as factors
  AlignedDoubles scaled_;
  AlignedFloats rounded_query_;
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
};

}  // namespace phida
