// An undirected graph in compressed rows: the neighbours of v are neighbour[offset[v]] .. neighbour[offset[v + 1] -
// 1], ascending, with the edges' lengths in a parallel array. Every edge is in both rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

struct CsrGraph {
  std::vector<std::int32_t> offset;
  std::vector<std::int32_t> neighbour;
  std::vector<double> length;

  std::span<const std::int32_t> neighbours(std::size_t v) const {
    return {neighbour.data() + offset[v], static_cast<std::size_t>(offset[v + 1] - offset[v])};
  }
  std::size_t degree(std::size_t v) const {
    return static_cast<std::size_t>(offset[v + 1] - offset[v]);
  }
};

}  // namespace phida
