#include "mapping/component_hierarchy.hpp"

#include <limits>
#include <set>

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

using Group = std::vector<std::size_t>;

struct Masses : ComponentMass {
  Masses(std::vector<double> masses, std::size_t least) {
    component = std::move(masses);
    minimum_count = least;
  }
};

ComponentHierarchy agglomerate(const RowMatrix& centroids, const ComponentMass& mass) {
  HierarchyBuilder builder;
  ComponentHierarchy out;
  out.centroid = centroids;
  builder.agglomerate(mass, out);
  return out;
}

// Weighted squared deviations of a group from its mean.
double dispersion(const RowMatrix& x, const std::vector<double>& w, const Group& group) {
  double total = 0.0, sum = 0.0;
  for (const std::size_t i : group) total += w[i];
  for (std::size_t j = 0; j < x.cols(); ++j) {
    double mean = 0.0;
    for (const std::size_t i : group) mean += w[i] * x[i][j] / total;
    for (const std::size_t i : group) sum += w[i] * (x[i][j] - mean) * (x[i][j] - mean);
  }
  return sum;
}

Group united(Group a, const Group& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RowMatrix line(std::initializer_list<double> xs) {
  RowMatrix rows(1);
  for (const double x : xs) rows.append(&x);
  return rows;
}

}  // namespace

TEST(
    "component_hierarchy: every merge is the cheapest adjacent one and costs its increase of "
    "dispersion") {
  Random random(1);
  std::size_t merges = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random.below(14), dims = 1 + random.below(4);
    const RowMatrix x = random.rows(n, dims);
    std::vector<double> w(n);
    for (double& v : w) v = random.uniform(0.1, 5.0);
    const Masses mass(w, 1 + random.below(n));
    const ComponentHierarchy h = agglomerate(x, mass);
    std::vector<Group> groups(n);
    for (std::size_t a = 0; a < n; ++a) groups[a] = {a};
    const auto adjacent = [&](const Group& a, const Group& b) {
      for (const std::size_t p : a)
        for (const std::int32_t q : h.graph.edges.neighbours(p))
          if (std::find(b.begin(), b.end(), static_cast<std::size_t>(q)) != b.end()) return true;
      return false;
    };
    const auto increase = [&](const Group& a, const Group& b) {
      return dispersion(x, w, united(a, b)) - dispersion(x, w, a) - dispersion(x, w, b);
    };
    const auto cheapest = [&] {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = a + 1; b < n; ++b)
          if (!groups[a].empty() && !groups[b].empty() && adjacent(groups[a], groups[b]))
            least = std::min(least, increase(groups[a], groups[b]));
      return least;
    };
    for (const Merge& merge : h.merges) {
      Group &into = groups[merge.into], &from = groups[merge.from];
      CHECK(merge.into < merge.from && !into.empty() && !from.empty() && adjacent(into, from));
      CHECK_CLOSE(merge.height, increase(into, from), 1e-10);
      CHECK_CLOSE(merge.height, cheapest(), 1e-10);
      into = united(into, from);
      from.clear();
      ++merges;
    }
    const std::size_t left = n - h.merges.size();
    CHECK(left >= mass.minimum_count);
    CHECK(left == mass.minimum_count || cheapest() == std::numeric_limits<double>::infinity());
    CHECK(h.level <= h.merges.size() && h.level == cut_level(h.merges));
  }
  CHECK(merges > 300);
}

TEST("component_hierarchy: equal costs go to the lower ids") {
  const ComponentHierarchy h = agglomerate(line({0, 1, 2, 3}), Masses({1, 1, 1, 1}, 3));
  CHECK(h.merges.size() == 1 && h.merges[0].into == 0 && h.merges[0].from == 1);
}

TEST("component_hierarchy: the merged group keeps the lower id and all neighbours") {
  // 0 and 1 merge first, then 2 joins them, then 3.
  const ComponentHierarchy h = agglomerate(line({0, 1, 2.5, 4.5}), Masses({1, 1, 1, 1}, 1));
  CHECK(h.merges.size() == 3);
  if (h.merges.size() == 3) CHECK(h.merges[2].into == 0);
}

TEST("component_hierarchy: groups without an edge between them never merge") {
  const ComponentHierarchy h =
      agglomerate(line({0, 1, 2, 1000, 1001, 1002}), Masses({1, 1, 1, 1, 1, 1}, 1));
  CHECK(h.merges.size() == 4);
  const std::vector<std::int32_t> clusters = clusters_at(h.merges, h.merges.size(), 6);
  CHECK(clusters == std::vector<std::int32_t>{0, 0, 0, 1, 1, 1});
}

TEST("component_hierarchy: one component has no merge") {
  const ComponentHierarchy h = agglomerate(line({3}), Masses({2}, 1));
  CHECK(h.merges.empty() && h.level == 0);
}

TEST("component_hierarchy: levels are nested unions of components") {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 1 + random.below(14);
    const ComponentHierarchy h =
        agglomerate(random.grid(n, 2, 4), Masses(std::vector<double>(n, 1.0), 1));
    std::vector<std::int32_t> finer = clusters_at(h.merges, 0, n);
    for (std::size_t level = 1; level <= h.merges.size(); ++level) {
      const std::vector<std::int32_t> coarser = clusters_at(h.merges, level, n);
      CHECK(std::set<std::int32_t>(coarser.begin(), coarser.end()).size() == n - level);
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          if (finer[a] == finer[b]) CHECK(coarser[a] == coarser[b]);
      finer = coarser;
    }
  }
}

TEST(
    "component_hierarchy: centroids are mass-weighted means in the metric of the rows inside the "
    "map") {
  Random random(3);
  RowMatrix rows = random.rows(12, 3);
  for (std::size_t i = 0; i < 12; ++i) rows[i][0] *= 1e5;
  const std::vector<std::int32_t> members{0, 2, 3, 5, 7, 11};
  const PhComponents components{0.0, {0, 1, 0, -1, 1, 1}, {0, 1}, {1.0, 1.0}};
  ComponentMass mass;
  mass.node = {1.0, 2.0, 3.0, 0.0, 0.5, 0.25};
  mass.component = {4.0, 2.75};
  HierarchyBuilder builder;
  ComponentHierarchy h;
  builder.find_centroids(rows, members, components, mass, h);
  center_centroids(rows, std::vector<std::int32_t>{0, 2, 3, 7, 11}, h);
  const FeatureTransform transform = fitted(rows, {0, 2, 3, 7, 11});
  CHECK(transform.gamma > 0.0);
  for (std::size_t j = 0; j < 3; ++j) {
    double expected[2] = {};
    for (std::size_t v = 0; v < members.size(); ++v)
      if (components.component[v] >= 0)
        expected[components.component[v]] +=
            mass.node[v] * (rows[members[v]][j] - transform.center[j]) * transform.inverse[j];
    CHECK_CLOSE(h.centroid[0][j], expected[0] / 4.0, 1e-12);
    CHECK_CLOSE(h.centroid[1][j], expected[1] / 2.75, 1e-12);
  }
}
