// Order statistics from the rank kernel's counts around a pivot.
#pragma once

#include <algorithm>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {

inline void clear(RankAround& ranks) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::fill_n(ranks.below, 8, 0.0);
  std::fill_n(ranks.above, 8, 0.0);
  for (int i = 0; i < 2; ++i) {
    std::fill_n(ranks.largest_below[i], 8, -kInfinity);
    std::fill_n(ranks.smallest_above[i], 8, kInfinity);
  }
}

// The value at `rank` among `n` in a lane, if it is the pivot or one of its two neighbours on either side.
inline bool value_at(const RankAround& around, std::size_t lane, double pivot, double n,
                     double rank, double& value) {
  const double below = around.below[lane], up_to = n - around.above[lane];
  if (rank < below) {
    const double distance = below - rank;  // 1: the largest below
    if (distance > 2.0) return false;
    value = around.largest_below[distance == 1.0 ? 0 : 1][lane];
  } else if (rank < up_to) {
    value = pivot;
  } else {
    const double distance = rank - up_to;  // 0: the smallest above
    if (distance > 1.0) return false;
    value = around.smallest_above[distance == 0.0 ? 0 : 1][lane];
  }
  return true;
}

// Adds lane `from` to lane 0, both ranked around the same pivot.
inline void absorb_lane(RankAround& ranks, int from) {
  ranks.below[0] += ranks.below[from];
  ranks.above[0] += ranks.above[from];
  for (int i = 0; i < 2; ++i) {
    const double lower = ranks.largest_below[i][from], higher = ranks.smallest_above[i][from];
    ranks.largest_below[1][0] =
        std::max(ranks.largest_below[1][0], std::min(ranks.largest_below[0][0], lower));
    ranks.largest_below[0][0] = std::max(ranks.largest_below[0][0], lower);
    ranks.smallest_above[1][0] =
        std::min(ranks.smallest_above[1][0], std::max(ranks.smallest_above[0][0], higher));
    ranks.smallest_above[0][0] = std::min(ranks.smallest_above[0][0], higher);
  }
}

}  // namespace phida
