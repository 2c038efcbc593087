// One step of a hierarchy, and the clusters after its first few steps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

// Two clusters, each named by its lowest leaf; the lower name stays.
struct Merge {
  std::int32_t into = 0;
  std::int32_t from = 0;
  double height = 0.0;
};

// Cluster per leaf after the first `level` merges; clusters are numbered by their lowest leaf.
inline std::vector<std::int32_t> clusters_at(std::span<const Merge> merges, std::size_t level,
                                             std::size_t n_leaves) {
  std::vector<std::int32_t> joined(n_leaves, -1);
  for (const Merge& merge : merges.first(level)) joined[merge.from] = merge.into;
  // A cluster is named by its lowest leaf, so the root of a leaf comes before it.
  std::vector<std::int32_t> cluster(n_leaves);
  std::int32_t count = 0;
  for (std::size_t a = 0; a < n_leaves; ++a)
    cluster[a] = joined[a] < 0 ? count++ : cluster[joined[a]];
  return cluster;
}

}  // namespace phida
