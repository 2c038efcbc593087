// The positions of a system's nodes, as rows and in the blocks that the search reads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "numeric/blocked_rows.hpp"
#include "simd/kernels.hpp"

namespace phida::systems {

struct TwoNearest {
  std::int32_t first = -1;
  std::int32_t second = -1;
  double first_square = std::numeric_limits<double>::infinity();   // squared distance
  double second_square = std::numeric_limits<double>::infinity();  // squared distance
};

class NodePositions {
 public:
  explicit NodePositions(std::size_t dims) : NodePositions(RowMatrix(dims)) {}
  explicit NodePositions(RowMatrix rows) : rows_(std::move(rows)), blocks_(rows_.cols()) {
    mirror_from(0);
  }

  std::size_t size() const { return rows_.rows(); }
  std::size_t dims() const { return rows_.cols(); }
  const RowMatrix& rows() const { return rows_; }
  const BlockedRows& blocks() const { return blocks_; }
  const double* operator[](std::size_t i) const { return rows_[i]; }

  void append(const double* row) {
    rows_.append(row);
    blocks_.append(row);
  }

  void set(std::size_t node, const double* row) {
    std::copy_n(row, dims(), rows_[node]);
    blocks_.set(node, row);
  }

  // Adds step(x - w) to every value w of a node.
  template <class Step>
  void move(std::size_t node, const double* sample, Step step) {
    double* row = rows_[node];
    for (std::size_t j = 0; j < dims(); ++j) row[j] += step(sample[j] - row[j]);
    blocks_.set(node, row);
  }

  // Keeps the nodes named in `kept` (ascending), in order.
  void keep(std::span<const std::size_t> kept) {
    std::size_t first_moved = 0;
    while (first_moved < kept.size() && kept[first_moved] == first_moved) ++first_moved;
    rows_.keep(kept);
    mirror_from(first_moved);
  }

  // Equal distances go to the lower index. With a single node, there is no second nearest.
  TwoNearest nearest_two(const double* query) {
    TwoNearest nearest;
    for (const std::int32_t row : candidates(query, 2)) {
      const double square = squares_[row];
      if (square < nearest.first_square) {
        nearest.second = nearest.first;
        nearest.second_square = nearest.first_square;
        nearest.first = row;
        nearest.first_square = square;
      } else if (square < nearest.second_square) {
        nearest.second = row;
        nearest.second_square = square;
      }
    }
    return nearest;
  }

  std::int32_t nearest(const double* query) {
    std::int32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (const std::int32_t row : candidates(query, 1))
      if (squares_[row] < least) {
        best = row;
        least = squares_[row];
      }
    return best;
  }

  // Squared distances of a query to all nodes, valid until the next search.
  std::span<const double> squares(const double* query) {
    make_room();
    kernels().squared_distances(query, nullptr, blocks_.data(), blocks_.blocks(), dims(),
                                squares_.data());
    return {squares_.data(), size()};
  }

  // Squared distance of two nodes, summed in the same order of features as in the search.
  double square_between(std::size_t a, std::size_t b) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < dims(); ++j) {
      const double gap = rows_[a][j] - rows_[b][j];
      sum += gap * gap;
    }
    return sum;
  }

 private:
  void make_room() {
    squares_.resize(blocks_.blocks() * kLanes);
    candidates_.resize(blocks_.blocks() * kLanes);
  }

  // Returns every row that can be among the k nearest, ascending.
  std::span<const std::int32_t> candidates(const double* query, std::size_t k) {
    make_room();
    std::size_t found = kernels().nearest(query, nullptr, blocks_.data(), blocks_.blocks(), dims(),
                                          k, false, squares_.data(), candidates_.data());
    // With fewer than k nodes, the padding lanes at infinity are among the candidates.
    while (found > 0 && candidates_[found - 1] >= static_cast<std::int32_t>(size())) --found;
    return {candidates_.data(), found};
  }

  void mirror_from(std::size_t first) {
    blocks_.resize(size());
    for (std::size_t i = first; i < size(); ++i) blocks_.set(i, rows_[i]);
  }

  RowMatrix rows_;
  BlockedRows blocks_;
  AlignedDoubles squares_;
  std::vector<std::int32_t> candidates_;
};

}  // namespace phida::systems
