// Mapping from nodes to output clusters, for any rule: leaves, merges of leaves, and the level of the cut.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mapping/merge.hpp"
#include "metric/feature_transform.hpp"

namespace phida {

// Type of the leaves.
enum class Leaf : std::uint8_t { kComponent, kNode };

// Meaning of merge heights.
enum class Height : std::uint8_t {
  kDispersion,  // increase in weighted dispersion
  kProminence,  // of the lower peak of density, in units of chance
  kSize,        // weight times squared distance of the merged clusters
};

// The height from which clusters stay apart; infinite if the largest jump decides, NaN if no height does.
constexpr double threshold_of(Height height) {
  switch (height) {
    case Height::kProminence: return 1.0;
    case Height::kSize: return std::numeric_limits<double>::quiet_NaN();
    default: return std::numeric_limits<double>::infinity();
  }
}

// Score of a sample for a cluster.
enum class Scoring : std::uint8_t {
  kPublished,  // spec section 9
  kNearest,    // distance to the nearest node
};

struct NodeMap {
  std::vector<std::int32_t> leaf;  // per node, or -1 outside the map
  std::size_t n_leaves = 0;
  std::vector<Merge>
      // merges of leaves; level l of the hierarchy is the result of the first l merges
      merges;
  std::size_t level = 0;       // level of the cut
  bool complete = true;        // `merges` continues until no two clusters can be merged
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
