// How well the latest samples fitted: in PHIDA, the winner's similarity minus the vigilance.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace phida {

constexpr std::size_t kMostMargins = 1024;

// The margin of PHIDA+: from -1 for a row far from all nodes to 0 for one at a node.
inline double margin_at(double square) {
  const double distance = std::sqrt(square);
  return std::isfinite(distance) ? -distance / (1.0 + distance) : -1.0;
}

struct RecentMargins {
  std::vector<double> values;  // a ring, once full
  std::size_t next = 0;        // position of the next one

  void append(double margin) {
    if (values.size() < kMostMargins)
      values.push_back(margin);
    else
      values[next] = margin;
    next = (next + 1) % kMostMargins;
  }
};

}  // namespace phida
