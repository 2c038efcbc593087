// How well the latest samples fitted: by how much their winner's similarity was above the vigilance.
#pragma once

#include <cstddef>
#include <vector>

namespace phida {

constexpr std::size_t kMostMargins = 1024;

struct RecentMargins {
  std::vector<double> values;  // a ring once it is full
  std::size_t next = 0;        // the place of the next one

  void append(double margin) {
    if (values.size() < kMostMargins)
      values.push_back(margin);
    else
      values[next] = margin;
    next = (next + 1) % kMostMargins;
  }
};

}  // namespace phida
