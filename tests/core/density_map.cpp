// From nodes to clusters by density: properties for any thresholds.
#include "mapping/density_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

DensityMap map_of(const RowMatrix& rows, double weight = 1.0, double variance = 0.0) {
  const std::vector<double> weights(rows.rows(), weight), variances(rows.rows(), variance);
  return map_density({rows, weights, variances});
}

std::vector<std::int32_t> clusters(const DensityMap& map) {
  std::vector<std::int32_t> cluster;
  map.map.clusters(cluster);
  return cluster;
}

// Normal groups, ordered along the first feature.
RowMatrix groups(Random& random, std::size_t n_groups, std::size_t n, std::size_t dims,
                 double apart) {
  RowMatrix rows(dims);
  rows.resize(n_groups * n);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (std::size_t j = 0; j < dims; ++j) rows[i][j] = random.normal();
    rows[i][0] += apart * static_cast<double>(i / n);
  }
  return rows;
}

// The merges form trees of all leaves, in ascending order; the level is the number of heights below 1.
void check_map(const DensityMap& out, const RowMatrix& rows) {
  const NodeMap& map = out.map;
  const std::size_t n = rows.rows();
  CHECK(map.n_leaves == n && map.leaf == plain::first(n));
  CHECK(map.leaves == Leaf::kNode && map.scoring == Scoring::kNearest);
  CHECK(out.prominence.size() == map.merges.size() && out.chance.size() == map.merges.size());
  CHECK(map.merges.size() <= n - 1 && map.complete == (map.merges.size() == n - 1));
  std::size_t below = 0;
  std::vector<std::uint8_t> gone(n, 0);
  for (std::size_t m = 0; m < map.merges.size(); ++m) {
    const Merge& merge = map.merges[m];
    CHECK(m == 0 || map.merges[m - 1].height <= merge.height);
    CHECK(merge.height >= 0.0 && merge.into >= 0 && merge.into < merge.from);
    CHECK(!gone[merge.into] && !gone[merge.from]);
    gone[merge.from] = 1;
    below += merge.height < 1.0;
  }
  CHECK(map.level == below && map.n_clusters() >= 1);

  const std::vector<Merge> all = all_merges(map, rows);
  CHECK(all.size() == n - 1);
  std::fill(gone.begin(), gone.end(), 0);
  for (std::size_t m = 0; m < all.size(); ++m) {
    CHECK(all[m].into < all[m].from && !gone[all[m].into] && !gone[all[m].from]);
    gone[all[m].from] = 1;
    if (m < map.merges.size())
      CHECK(all[m].into == map.merges[m].into && all[m].height == map.merges[m].height);
    else
      CHECK(all[m].height == kInfinity);
  }

  const std::vector<std::int32_t> cluster = clusters(out);
  CHECK(out.base.size() == n);
  for (const DensityPeak& peak : out.peaks) {
    CHECK(peak.node >= 0 && static_cast<std::size_t>(peak.node) < n && peak.death <= peak.birth);
    CHECK((peak.partner < 0) == (peak.death == -kInfinity));
  }
  for (std::size_t i = 0; i < n; ++i) CHECK(cluster[out.base[i]] == cluster[i]);
  // A link connects the two trees that it joins.
  CHECK(out.link.size() == out.map.merges.size());
  std::vector<std::int32_t> tree(n);
  std::iota(tree.begin(), tree.end(), 0);
  for (std::size_t m = 0; m < out.link.size(); ++m) {
    const auto [into, from, height] = out.map.merges[m];
    const std::int32_t a = tree[out.link[m].a], b = tree[out.link[m].b];
    CHECK(std::min(a, b) == into && std::max(a, b) == from);
    std::replace(tree.begin(), tree.end(), from, into);
  }
}

}  // namespace

TEST("density_map: one, two and three nodes are one cluster") {
  Random random(2);
  for (const std::size_t n : {1, 2, 3})
    for (int round = 0; round < 10; ++round) {
      const RowMatrix rows = random.rows(n, 2);
      const DensityMap map = map_of(rows, 1.0 + round);
      check_map(map, rows);
      CHECK(map.peaks.size() >= 1);
      if (n == 1) CHECK(map.map.n_clusters() == 1 && map.map.merges.empty() && map.map.complete);
    }
}

TEST("density_map: maps of random rows, weights and variances are valid") {
  Random random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 4 + random.below(150), dims = 1 + random.below(6);
    const RowMatrix rows = round % 3 == 0   ? random.rows(n, dims)
                           : round % 3 == 1 ? random.grid(n, dims, 3)
                                            : groups(random, 3, n / 3 + 1, dims, 8.0);
    std::vector<double> weight(rows.rows()), variance(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      weight[i] = round % 2 ? random.uniform(0.5, 50.0) : 1.0;
      variance[i] = round % 4 > 1 ? random.uniform() : 0.0;
    }
    check_map(map_density({rows, weight, variance}), rows);
  }
}

TEST("density_map: maps of huge, tiny and distant places are valid") {
  Random random(4);
  for (const double factor : {1e-200, 1e-100, 1e100, 1e149}) {
    const RowMatrix rows = plain::changed(
        random.rows(60, 2), [&](double x, auto i, auto) { return i % 2 ? factor * x : x; });
    const DensityMap map = map_of(rows);
    check_map(map, rows);
    for (const DensityPeak& peak : map.peaks) CHECK(std::isfinite(peak.birth));
  }
}

TEST("density_map: trees without an edge between them are joined nearest first") {
  // Three groups, each with more nodes than a node has edges.
  Random random(7);
  RowMatrix rows = groups(random, 3, 200, 1, 1000.0);
  for (std::size_t i = 400; i < 600; ++i) rows[i][0] += 5000.0;
  const DensityMap map = map_of(rows);
  check_map(map, rows);
  const std::vector<Merge> all = all_merges(map.map, rows);
  if (map.map.merges.size() == 597) {
    CHECK(all[597].into == 0 && all[597].from == 200);
    CHECK(all[598].into == 0 && all[598].from == 400);
  }
  CHECK(map.map.n_clusters() == 3);
}
