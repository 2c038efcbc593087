// Seeded numbers, equal on every platform; the standard library's distributions are not.
#pragma once

#include <cstdint>

#include "numeric/row_matrix.hpp"

namespace phida {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return bits() % n; }
  double uniform(double low = 0.0, double high = 1.0) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  double normal() {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

  AlignedDoubles values(std::size_t n, double low = -1.0, double high = 1.0) {
    AlignedDoubles all(n);
    for (double& x : all) x = uniform(low, high);
    return all;
  }
  RowMatrix rows(std::size_t n, std::size_t dims) {
    RowMatrix all(dims);
    for (std::size_t i = 0; i < n; ++i) all.append(values(dims).data());
    return all;
  }
  // Small whole numbers: exact squares, and ties everywhere.
  RowMatrix grid(std::size_t n, std::size_t dims, std::size_t side) {
    RowMatrix all(dims);
    all.resize(n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < dims; ++j) all[i][j] = static_cast<double>(below(side));
    return all;
  }

 private:
  std::uint64_t state_;
};

}  // namespace phida
