// A map of nodes that descend from the mapped nodes.
#include "mapping/carried_map.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

// Groups of random points, far from each other.
DensityMap random_map(Random& random, std::size_t n) {
  RowMatrix rows(2);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = 100.0 * static_cast<double>(random.below(4));
    const double row[] = {at + random.normal(), random.normal(), 0, 0, 0, 0, 0, 0};
    rows.append(row);
  }
  const std::vector<double> weight(n, 1.0), variance(n, 0.0);
  return map_density({rows, weight, variance});
}

std::vector<std::int32_t> clusters(const NodeMap& map) {
  std::vector<std::int32_t> cluster;
  map.clusters(cluster);
  return cluster;
}

}  // namespace

TEST("carried_map: unchanged nodes keep their clusters") {
  Random random(1);
  const DensityMap map = random_map(random, 80);
  const std::vector<double> weight(80, 1.0);
  const DensityMap carried = carried_over(map, map.map.leaf, weight);
  CHECK(clusters(carried.map) == clusters(map.map));
  CHECK(clusters(carried.map) == carried_clusters(map.map, map.map.leaf));
  CHECK(carried.base == map.base && carried.prominence == map.prominence);
  CHECK(carried.peaks.size() == map.peaks.size() && carried.map.level == map.map.level);
  for (std::size_t m = 0; m < map.map.merges.size(); ++m)
    CHECK(carried.map.merges[m].into == map.map.merges[m].into &&
          carried.map.merges[m].from == map.map.merges[m].from &&
          carried.link[m].a == map.link[m].a && carried.link[m].b == map.link[m].b);
}

TEST("carried_map: nodes of one leaf share a cluster, and leaves without nodes are removed") {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const DensityMap map = random_map(random, 1 + random.below(90));
    const std::size_t n = 1 + random.below(60);
    std::vector<std::int32_t> leaf(n);
    std::vector<double> weight(n);
    // Some leaves have no node left, and sometimes an entire cluster.
    const std::size_t few = 1 + random.below(map.map.n_leaves);
    for (std::size_t i = 0; i < n; ++i) {
      leaf[i] = static_cast<std::int32_t>(random.below(few));
      weight[i] = 1.0 + static_cast<double>(random.below(5));
    }
    const DensityMap carried = carried_over(map, leaf, weight);
    const std::vector<std::int32_t> cluster = clusters(carried.map), before = clusters(map.map);
    CHECK(cluster == carried_clusters(map.map, leaf));
    std::set<std::int32_t> left;
    for (std::size_t i = 0; i < n; ++i) {
      left.insert(before[leaf[i]]);
      for (std::size_t j = 0; j < i; ++j)
        CHECK((cluster[i] == cluster[j]) == (before[leaf[i]] == before[leaf[j]]));
      CHECK(carried.base[i] >= 0 && cluster[carried.base[i]] == cluster[i]);
    }
    CHECK(carried.map.n_clusters() == left.size());
    CHECK(carried.link.size() == carried.map.merges.size());
    CHECK(carried.prominence.size() == carried.map.merges.size());
    CHECK(carried.chance.size() == carried.map.merges.size());
    std::vector<std::int32_t> tree(n);
    std::iota(tree.begin(), tree.end(), 0);
    double height = 0.0;
    for (std::size_t m = 0; m < carried.map.merges.size(); ++m) {
      const auto [into, from, at] = carried.map.merges[m];
      const std::int32_t a = tree[carried.link[m].a], b = tree[carried.link[m].b];
      CHECK(std::min(a, b) == into && std::max(a, b) == from && at >= height);
      std::replace(tree.begin(), tree.end(), from, into);
      height = at;
    }
    for (const DensityPeak& peak : carried.peaks)
      CHECK(peak.node >= 0 && peak.node < static_cast<std::int32_t>(n));
  }
}
