// Squared distances between rows, summed feature by feature, and the nearest rows of each.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/blocked_rows.hpp"
#include "topology/near_order.hpp"

namespace phida {

// Leaves new values uninitialised: all of them are written before they are read.
template <class T>
struct Unfilled : CacheAligned<T> {
  template <class U>
  struct rebind {
    using other = Unfilled<U>;
  };
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
};

class NodeDistances {
 public:
  // Lists the `length` nearest rows of each row, without itself, or all others if there are fewer.
  NodeDistances(const RowMatrix& rows, std::size_t length);

  std::size_t size() const { return rows_.rows(); }

  // Squares of a row to `n` others. `out` has room for a multiple of eight.
  void squares(std::size_t row, const std::int32_t* others, std::size_t n, double* out) const;

  // The nearest rows, nearest first.
  std::span<const NearRow> nearest(std::size_t row) const {
    return {nearest_.data() + row * length_, length_};
  }

  // Whether all squares are in memory. Otherwise each is computed on demand.
  bool kept() const { return !squares_.empty(); }

 private:
  void measure_all(const BlockedRows& blocks);
  void gather_block(std::size_t block, double* lines, std::size_t stride) const;

  const RowMatrix& rows_;
  std::size_t length_;
  // A strip per block of eight rows: the squares (row, lane) of the rows from that block on, since distances are
  // symmetric. Empty if there are too many rows.
  std::vector<double, Unfilled<double>> squares_;
  std::vector<std::size_t> start_;  // per strip: offset of row 0
  std::vector<NearRow> nearest_;    // (row, place)
};

}  // namespace phida
