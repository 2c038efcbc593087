// Groups from the persistence of flow, beside the rule as it is written: trees that are merged or stay apart.
#include "mapping/flow_groups.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "mapping/flow_map.hpp"
#include "random.hpp"

using namespace phida;

namespace {

struct Case {
  RowMatrix rows{2};
  Flow flow;
  FeatureTransform transform;
};

Case random_case(Random& random) {
  Case c;
  const std::size_t n = 2 + random.below(14);
  for (std::size_t i = 0; i < n; ++i) {
    const double row[2] = {static_cast<double>(random.below(12)),
                           static_cast<double>(random.below(12))};
    c.rows.append(row);
    c.flow.members.push_back(static_cast<std::int32_t>(i));
    c.flow.loop.push_back(2 * static_cast<std::int64_t>(random.below(20)));
  }
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = a + 1; b < n; ++b)
      if (random.below(3) == 0)
        c.flow.edges.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                                static_cast<std::int64_t>(1 + random.below(9))});
  c.transform.inverse.assign(8, 1.0);
  return c;
}

// As the specification has it, one edge after the other, without a hierarchy.
std::vector<std::int32_t> plain_groups(const Case& c, double prominence) {
  const std::size_t n = c.flow.members.size(), m = c.flow.edges.size();
  std::vector<double> length, h(n, 0.0), e(n, 0.0), t(m);
  double sum = 0.0, total = 0.0;
  for (const WeightedEdge& edge : c.flow.edges) {
    length.push_back(
        std::hypot(c.rows[edge.a][0] - c.rows[edge.b][0], c.rows[edge.a][1] - c.rows[edge.b][1]));
    sum += static_cast<double>(edge.weight) * length.back();
    total += static_cast<double>(edge.weight);
  }
  for (double& l : length) l = sum > 0.0 ? std::max(l, 1e-6 * sum / total) : 1.0;
  for (std::size_t v = 0; v < n; ++v) {
    double flowing = 0.0, stretched = 0.0, squares = 0.0;
    for (std::size_t k = 0; k < m; ++k) {
      const WeightedEdge& edge = c.flow.edges[k];
      if (edge.a != static_cast<std::int32_t>(v) && edge.b != static_cast<std::int32_t>(v))
        continue;
      const double s = static_cast<double>(edge.weight), d = s / length[k];
      flowing += s;
      stretched += s * length[k];
      h[v] += d;
      squares += d * d;
    }
    if (flowing == 0.0) continue;
    const double loop = static_cast<double>(c.flow.loop[v]) / (stretched / flowing);
    h[v] += loop;
    e[v] = h[v] * h[v] / (squares + loop * loop);
  }
  for (std::size_t k = 0; k < m; ++k) {
    const WeightedEdge& edge = c.flow.edges[k];
    t[k] =
        std::min({static_cast<double>(edge.weight) / length[k] * std::sqrt(e[edge.a] * e[edge.b]),
                  h[edge.a], h[edge.b]});
  }
  std::vector<std::size_t> order(m);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) { return t[x] > t[y]; });
  std::vector<std::int32_t> tree(n), peak(n);
  std::iota(tree.begin(), tree.end(), 0);
  std::iota(peak.begin(), peak.end(), 0);
  for (const std::size_t k : order) {
    const std::int32_t a = tree[c.flow.edges[k].a], b = tree[c.flow.edges[k].b];
    if (a == b) continue;
    const std::int32_t pa = peak[a], pb = peak[b];
    const bool a_lower = h[pa] < h[pb] || (h[pa] == h[pb] && pa > pb);
    if (h[a_lower ? pa : pb] >= prominence * t[k]) continue;
    const std::int32_t gone = a_lower ? a : b, stays = a_lower ? b : a;
    for (std::int32_t& of : tree)
      if (of == gone) of = stays;
  }
  std::vector<std::int32_t> group(n, -1);
  std::int32_t count = 0;
  for (std::size_t v = 0; v < n; ++v) {
    if (group[v] >= 0) continue;
    for (std::size_t u = v; u < n; ++u)
      if (tree[u] == tree[v]) group[u] = count;
    ++count;
  }
  return group;
}

}  // namespace

TEST("flow_groups: random flows, beside the rule as it is written") {
  Random random(3);
  for (int run = 0; run < 500; ++run) {
    const Case c = random_case(random);
    const FlowGroups groups = find_groups(c.rows, c.flow, c.transform);
    NodeMap map = map_groups(c.flow, groups, c.flow.members.size(), c.transform);
    std::vector<std::int32_t> cluster;
    map.clusters(cluster);
    CHECK(cluster == plain_groups(c, kProminence));
    // Any other level is the rule with another prominence.
    for (const double prominence : {1.5, 2.0, 8.0}) {
      map.level = 0;
      while (map.level < map.merges.size() && map.merges[map.level].height < prominence)
        ++map.level;
      map.clusters(cluster);
      CHECK(cluster == plain_groups(c, prominence));
    }
  }
}

TEST("flow_groups: a member without edges is a group of its own") {
  Case c;
  for (int i = 0; i < 3; ++i) {
    const double row[2] = {static_cast<double>(i), 0.0};
    c.rows.append(row);
    c.flow.members.push_back(i);
    c.flow.loop.push_back(8);
  }
  c.flow.edges = {{0, 2, 50}};
  c.transform.inverse.assign(8, 1.0);
  const FlowGroups groups = find_groups(c.rows, c.flow, c.transform);
  std::vector<std::int32_t> cluster;
  map_groups(c.flow, groups, 3, c.transform).clusters(cluster);
  CHECK((cluster == std::vector<std::int32_t>{0, 1, 0}));
  CHECK(groups.height[1] == 0.0);
}
