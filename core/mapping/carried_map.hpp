// Carries a map of nodes over to the nodes that descend from them.
#pragma once

#include <cstdint>
#include <span>

#include "mapping/density_map.hpp"

namespace phida {

// Per node, the cluster of its leaf in `map`; clusters are numbered by their lowest node.
std::vector<std::int32_t> carried_clusters(const NodeMap& map, std::span<const std::int32_t> leaf);

// The map of the current nodes: those of one leaf are joined at height 0, and leaves without nodes take no part. The
// clusters are those of `carried_clusters`.
DensityMap carried_over(const DensityMap& map, std::span<const std::int32_t> leaf,
                        std::span<const double> weight);

}  // namespace phida
