// Order of rows by distance: sorting, and selection of the nearest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

// Ordered by distance, then by row.
struct NearRow {
  double square = 0.0;
  std::int32_t row = 0;

  bool operator<(const NearRow& other) const {
    return square < other.square || (square == other.square && row < other.row);
  }
};

// A limit that `least` to `most` of the values do not exceed, or more of them if none is found soon. Values and the guess
// are at least 0.
double limit_for(std::span<const double> values, std::size_t least, std::size_t most, double guess);

// Owns the memory for sorting. Squares are at least 0.
class NearOrder {
 public:
  // Sorts in place.
  void sort(std::span<NearRow> rows);

  // Up to about a hundred rows in order. Valid until the next call.
  std::span<const NearRow> sorted(std::span<const NearRow> rows);

  // Fills `out` with the nearest of the rows 0, 1, … with these squares, in order, without `self`.
  void choose(std::span<const double> squares, std::size_t self, std::span<NearRow> out);

 private:
  void sort_many(std::span<NearRow> rows);

  std::vector<std::int32_t> keys_, ranks_, positions_;
  std::vector<NearRow> found_, moved_;
  double last_limit_ = 1.0;
};

}  // namespace phida
