// Examples: rows that clusters have won.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nodes/fine_nodes.hpp"

namespace phida {

struct Examples {
  explicit Examples(std::size_t dims) : values(dims) {}

  std::vector<std::int64_t> cluster;
  std::vector<std::int64_t> row;  // its number among the learned rows, or kNone
  RowMatrix values;
};

// Per cluster, up to `count` of the rows that its nodes keep: those nearest to its centre, in the metric; ties to the
// lower node. `cluster` is 0 .. n - 1 per node.
Examples examples_of(const FineState& state, std::span<const std::int32_t> cluster,
                     std::size_t count);

}  // namespace phida
