// Proof without the quartiles that the scales of a set of rows differ too little for any normalisation: gamma = 0.
//
// In this common case, no distance depends on the rest of the transformation. For every column the guard keeps a
// bracket around each quartile and counts the rows outside it, which costs one comparison per edge when a row moves.
// As long as the counts place the quartiles inside, the brackets bound all scales, and these bound gamma. The answer
// is "certainly 0" or "unknown", so the guard never changes a result.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/column_quantiles.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

class ScaleGuard {
 public:
  bool standing() const { return count_ > 0; }

  // Guards the rows in `members` from now on. `quartiles` are theirs; `variation` is the squared coefficient of
  // variation of their scales, below 0.99.
  void set_up(const RowMatrix& rows, std::span<const std::int32_t> members,
              const ColumnQuartiles& quartiles, double variation);
  void drop() { count_ = 0; }

  // As long as the guard stands, every change to a guarded row and every new row must be reported here.
  void add(const double* row);
  void replace(const double* before, const double* after);

  // Whether gamma of these rows, the guarded ones, is certainly 0. Renews brackets that a quartile has left.
  bool proves_zero(const RowMatrix& rows, std::span<const std::int32_t> members);

 private:
  struct Limits {
    double of[4];  // maximum rows outside each edge
  };

  Limits limits() const;
  // Sets new brackets around the quartiles of every column in `left`; false if there was none.
  template <class Left>
  bool bracket_where(const RowMatrix& rows, std::span<const std::int32_t> members, Left left);
  using Ranks = std::array<std::size_t, 4>;  // ranks of the edges, ascending
  // Counts again for eight columns, from `first` on.
  void count_group(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t first);
  bool inside(std::size_t column, const Limits& limit) const;
  bool in_place(std::size_t column, const Ranks& ranks, double tolerance) const;
  bool shift(std::size_t column, const Ranks& ranks);
  void select(const RowMatrix& rows, std::span<const std::int32_t> members, std::size_t column,
              const Ranks& ranks);
  void bound_scales(std::size_t dims);

  std::size_t count_ = 0;  // rows guarded; 0 means not standing
  std::size_t stride_ = 0;
  AlignedDoubles
      edges_;  // (edge, column): bracket of the first quartile, low and high, then of the third
  AlignedDoubles counts_;         // (edge, column): rows below a low edge or above a high one
  double reach_ = 0.0;            // reach of the brackets, as a share of the rows
  bool narrow_ = false;           // the brackets bound gamma to 0
  std::vector<double> gathered_;  // one column
};

}  // namespace phida
