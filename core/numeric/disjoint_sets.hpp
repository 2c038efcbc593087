// Disjoint sets whose roots the caller chooses: the surviving mode, not the larger tree, must stay the root.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace phida {

class DisjointSets {
 public:
  void reset(std::size_t n) {
    parent_.resize(n);
    std::iota(parent_.begin(), parent_.end(), std::int32_t{0});
  }

  std::int32_t root(std::int32_t v) {
    while (parent_[v] != v) {
      parent_[v] = parent_[parent_[v]];  // path halving
      v = parent_[v];
    }
    return v;
  }

  // Joins two roots; `child` is then no longer one.
  void hang(std::int32_t child, std::int32_t parent) { parent_[child] = parent; }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace phida
