// Squared distances between rows, summed feature by feature, and the nearest rows of each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/blocked_rows.hpp"

namespace phida {

// Ordered by distance, then by row.
struct NearRow {
  double square = 0.0;
  std::int32_t row = 0;

  bool operator<(const NearRow& other) const {
    return square < other.square || (square == other.square && row < other.row);
  }
};

class NodeDistances {
 public:
  // Lists the `length` nearest rows of each row, itself not among them, or all others if there are not so many.
  NodeDistances(const RowMatrix& rows, std::size_t length);

  std::size_t size() const { return rows_.rows(); }
  double square(std::size_t a, std::size_t b) const {
    return squares_.empty() ? measured(a, b) : squares_[a * size() + b];
  }

  // The nearest rows, nearest first.
  std::span<const NearRow> nearest(std::size_t row) const {
    return {nearest_.data() + row * length_, length_};
  }

 private:
  void measure_all(const BlockedRows& blocks);
  double measured(std::size_t a, std::size_t b) const;
  void choose_nearest(std::size_t row, std::span<const double> squares);

  const RowMatrix& rows_;
  std::size_t length_;
  std::vector<double> squares_;   // (row, row); empty where there are too many
  std::vector<NearRow> nearest_;  // (row, place)
  std::vector<NearRow> found_;
  std::vector<double> sample_, limits_;
  std::vector<std::int32_t> positions_;
};

}  // namespace phida
