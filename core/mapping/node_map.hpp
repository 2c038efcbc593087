// From nodes to output clusters, whichever rule finds them: groups to begin with, merges, and where they stop.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/component_hierarchy.hpp"

namespace phida {

// The paper's rule, or that of nodes that win together.
enum class Mapping : std::uint8_t { kPersistence, kCoactivation };

struct NodeMap {
  Mapping mapping = Mapping::kPersistence;  // the rule that made it
  std::vector<std::int32_t> group;  // per node, the group that it begins in, or -1 outside the map
  std::size_t n_groups = 0;
  std::vector<Merge> merges;  // of groups; level l is what the first l merges leave
  std::size_t level = 0;      // the level that is taken

  std::size_t n_clusters() const { return n_groups - level; }

  // Output cluster per node, or -1.
  void clusters(std::vector<std::int32_t>& cluster) const {
    const std::vector<std::int32_t> of_group = clusters_at(merges, level, n_groups);
    cluster.assign(group.size(), -1);
    for (std::size_t i = 0; i < group.size(); ++i)
      if (group[i] >= 0) cluster[i] = of_group[group[i]];
  }
};

}  // namespace phida
