// The ids shown to readers: one per output cluster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lineage/lineage.hpp"

namespace phida {

// Nodes by output cluster, 0 .. n_clusters - 1 or kNone, with their weights.
struct ClusteredNodes {
  std::span<const std::int32_t> cluster;
  std::size_t n_clusters = 0;
  std::span<const double> weight;
};

// Per cluster, the confirmed id of most of its weight. If none has one: the id next to which most of it was created,
// else that of the largest confirmed cluster. Before any confirmation, clusters keep their numbers.
std::vector<std::int64_t> ids_of_clusters(const ClusteredNodes& nodes,
                                          const LineageColumns& columns, const Lineage& lineage);

}  // namespace phida
