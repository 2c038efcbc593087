// Hazen quantiles of every column of a set of rows that changes little from one call to the next.
//
// Sorting each column again would cost more than all other learning. Instead, one pass counts the rows around the
// last answer (the pivot) and records two neighbours on each side, which suffice unless the answer moved by more than
// two ranks. Rows that were only added are counted without a pass over the others.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "numeric/hazen_quantile.hpp"
#include "numeric/row_matrix.hpp"
#include "simd/kernels.hpp"

namespace phida {

class ColumnQuantiles {
 public:
  explicit ColumnQuantiles(std::initializer_list<double> levels) {
    for (const double level : levels) levels_.push_back({level, {}, {}, {}});
  }

  // Computes the quantiles of the rows in `members`, at least one. The first `unchanged` of them must be the same,
  // with the same values, as all members of the last call; 0 is always correct.
  void update(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t unchanged);

  // The quantile at the q-th level.
  double value(std::size_t q, std::size_t column) const { return levels_[q].value[column]; }

 private:
  struct Level {
    double level;
    AlignedDoubles pivot;       // per column: the centre of ranks_
    AlignedDoubles next_pivot;  // the order statistic at or below the quantile, a better pivot
    AlignedDoubles value;
  };

  bool resolve(std::size_t column, std::size_t q, const HazenPosition& at, double n);
  bool aim(std::size_t column, std::size_t q, const HazenPosition& at, double n);
  void select(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t column,
              Level& level);

  std::vector<Level> levels_;
  std::vector<RankAround> ranks_;         // (group of eight columns, level)
  std::size_t counted_ = 0;               // members counted in ranks_
  std::vector<HazenPosition> positions_;  // per level
  std::vector<double> scratch_;
};

class ColumnQuartiles : public ColumnQuantiles {
 public:
  ColumnQuartiles() : ColumnQuantiles({0.25, 0.75}) {}
  double first(std::size_t column) const { return value(0, column); }
  double third(std::size_t column) const { return value(1, column); }
};

}  // namespace phida
