// From nodes to output clusters, whichever rule finds them: leaves, merges of leaves, and where merging stops.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/merge.hpp"
#include "metric/feature_transform.hpp"

namespace phida {

// What merging starts from.
enum class Leaf : std::uint8_t { kComponent, kNode };

// What the height of a merge measures.
enum class Height : std::uint8_t {
  kDispersion,  // increase in weighted dispersion
  kProminence,  // of the lower peak of density, in units of what chance would show
  kSize,        // weight times squared distance of what is merged
};

// How a sample is scored against a cluster.
enum class Scoring : std::uint8_t {
  kPublished,  // spec section 9
  kNearest,    // distance to the nearest node
};

struct NodeMap {
  std::vector<std::int32_t> leaf;  // per node, or -1 outside the map
  std::size_t n_leaves = 0;
  std::vector<Merge>
      merges;             // of leaves; level l of the hierarchy is what the first l merges leave
  std::size_t level = 0;  // the level that the rule takes
  bool complete = true;   // `merges` goes on until no two clusters could be merged
  FeatureTransform transform;  // the metric of the nodes in the map, without its centre
  Leaf leaves = Leaf::kComponent;
  Height height = Height::kDispersion;
  Scoring scoring = Scoring::kPublished;

  std::size_t n_clusters() const { return n_leaves - level; }

  // Output cluster per node, or -1.
  void clusters(std::vector<std::int32_t>& cluster) const {
    const std::vector<std::int32_t> of_leaf = clusters_at(merges, level, n_leaves);
    cluster.assign(leaf.size(), -1);
    for (std::size_t i = 0; i < leaf.size(); ++i)
      if (leaf[i] >= 0) cluster[i] = of_leaf[leaf[i]];
  }
};

}  // namespace phida
