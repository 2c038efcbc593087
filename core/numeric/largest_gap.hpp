// Cut of a sorted list of levels, below its largest gap.
#pragma once

#include <cstddef>
#include <span>

namespace phida {

// `levels` ascend strictly and start after an implicit 0. Returns the index r of the level that ends the largest
// gap; among equal gaps the one that ends higher wins. `levels` must not be empty.
inline std::size_t largest_gap(std::span<const double> levels) {
  std::size_t best = 0;
  double best_gap = levels[0];
  for (std::size_t r = 1; r < levels.size(); ++r) {
    const double gap = levels[r] - levels[r - 1];
    if (gap >= best_gap) {
      best = r;
      best_gap = gap;
    }
  }
  return best;
}

}  // namespace phida
