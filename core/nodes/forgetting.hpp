// Old samples fade, and nodes that are left with too little go (spec section 12). Not in the paper.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "metric/moments.hpp"
#include "nodes/node_removal.hpp"
#include "nodes/node_state.hpp"
#include "numeric/elementary.hpp"

namespace phida {

// Support that is left of one sample after one half-life. Nodes with less are removed.
constexpr double kFadedSupport = 0.5;

// So many stay whatever is left of them: from three nodes on, samples are matched.
constexpr std::size_t kNeverForgotten = 3;

// What is left of a sample after so many others.
inline double left_after(std::size_t elapsed, double half_life) {
  return portable_pow(2.0, -static_cast<double>(elapsed) / half_life);
}

// Rounded down to a multiple of 2^-24, so that sums of supports stay exact in any order, as those of counts are.
inline double faded_support(double support, double share) {
  return std::floor(support * share * 0x1p24) * 0x1p-24;
}

class Forgetting {
 public:
  // Multiplies all supports and moments by `share`. Nodes below kFadedSupport are removed, but kNeverForgotten nodes,
  // the strongest (ties: the older), stay with that support. True if any node was removed.
  bool fade(NodeState& nodes, Moments& moments, double share) {
    moments.fade(share);
    const std::size_t n = nodes.size();
    choose(nodes, share);
    keep_nodes(nodes, kept_);
    nodes.pairs.fade(share);
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      double& support = nodes.support[i];
      const double left = std::max(faded_support(support, share), kFadedSupport);
      for (std::size_t j = 0; j < nodes.dims(); ++j) nodes.m2[i][j] *= left / support;
      support = left;
    }
    return kept_.size() < n;
  }

 private:
  void choose(const NodeState& nodes, double share) {
    const std::size_t n = nodes.size();
    kept_.clear();
    for (std::size_t i = 0; i < n; ++i)
      if (faded_support(nodes.support[i], share) >= kFadedSupport) kept_.push_back(i);
    if (kept_.size() >= std::min(n, kNeverForgotten)) return;
    kept_.resize(n);
    std::iota(kept_.begin(), kept_.end(), std::size_t{0});
    std::stable_sort(kept_.begin(), kept_.end(), [&](std::size_t a, std::size_t b) {
      return nodes.support[a] > nodes.support[b];
    });
    kept_.resize(std::min(n, kNeverForgotten));
    std::sort(kept_.begin(), kept_.end());
  }

  std::vector<std::size_t> kept_;
};

}  // namespace phida
