#include "topology/h0_persistence.hpp"

#include <cmath>

#include "check.hpp"
#include "graphs.hpp"
#include "numeric/elementary.hpp"

using namespace phida;

namespace {

Persistence persistence(const CsrGraph& graph, const std::vector<double>& support,
                        std::vector<std::uint8_t> input = {}) {
  if (input.empty()) input.assign(support.size(), 1);
  H0Persistence h0;
  Persistence out;
  h0.compute(graph, support, input, out);
  return out;
}

using Vertices = std::vector<std::int32_t>;

}  // namespace

TEST("h0_persistence: two hills and the saddle between them") {
  const Persistence p = persistence(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {8, 4, 2, 5, 3});
  CHECK(p.base == Vertices{0, 0, 0, 3, 3});
  CHECK(p.partner == Vertices{-1, 0, 0, 0, 3});
  CHECK(p.value[3] == portable_log(5.0) - portable_log(2.0));
  CHECK(p.death[3] == portable_log(2.0));
  CHECK(std::isinf(p.value[0]) && p.death[0] == -INFINITY && p.partner[0] == -1);
}

TEST("h0_persistence: a vertex next to a denser one has persistence zero") {
  const Persistence p = persistence(graph_of(2, {{0, 1}}), {3, 2});
  CHECK(p.value[1] == 0.0 && p.partner[1] == 0 && p.base[1] == 0);
}

TEST("h0_persistence: among equal supports the lower index comes first and survives") {
  const Persistence p = persistence(graph_of(3, {{0, 1}, {1, 2}}), {2, 2, 2});
  CHECK(p.base == Vertices{0, 0, 0});
  CHECK(p.partner == Vertices{-1, 0, 0});
  // 0 and 1 are activated before 2 joins them: 1, the higher index, dies.
  const Persistence q = persistence(graph_of(3, {{0, 2}, {1, 2}}), {4, 4, 1});
  CHECK(q.partner[1] == 0 && q.value[1] == portable_log(4.0) && std::isinf(q.value[0]));
}

TEST("h0_persistence: unconnected parts all survive") {
  const Persistence p = persistence(graph_of(4, {{0, 1}, {2, 3}}), {2, 1, 1, 9});
  CHECK(std::isinf(p.value[0]) && std::isinf(p.value[3]));
  CHECK(p.base == Vertices{0, 0, 3, 3});
}

TEST("h0_persistence: vertices outside the input have no part in it") {
  const Persistence p = persistence(graph_of(3, {{0, 1}, {1, 2}}), {3, 9, 2}, {1, 0, 1});
  CHECK(p.base == Vertices{0, -1, 2});
  CHECK(p.partner == Vertices{-1, -1, -1});
  CHECK(std::isinf(p.value[0]) && std::isinf(p.value[2]));
}

TEST("h0_persistence: equals flooding the graph again at every activation") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(25);
    const CsrGraph graph = random_graph(random, n, random.below(2 * n + 1));
    const std::vector<double> support = random_support(random, n);
    std::vector<std::uint8_t> input(n);
    for (std::uint8_t& in : input) in = random.below(8) > 0;
    const Persistence got = persistence(graph, support, input);

    const auto denser = [&](std::int32_t a, std::int32_t b) {
      return support[a] != support[b] ? support[a] > support[b] : a < b;
    };
    Vertices order;
    for (std::size_t v = 0; v < n; ++v)
      if (input[v]) order.push_back(static_cast<std::int32_t>(v));
    std::sort(order.begin(), order.end(), denser);
    std::vector<std::uint8_t> active(n, 0), alive(n, 0);
    std::vector<double> value(n, INFINITY);
    for (const std::int32_t v : order) {
      active[v] = alive[v] = 1;
      Vertices reached{v};
      std::vector<std::uint8_t> seen(n, 0);
      seen[v] = 1;
      for (std::size_t at = 0; at < reached.size(); ++at)
        for (const std::int32_t w : graph.neighbours(static_cast<std::size_t>(reached[at])))
          if (active[w] && !seen[w]) {
            seen[w] = 1;
            reached.push_back(w);
          }
      const std::int32_t mode = *std::min_element(reached.begin(), reached.end(), denser);
      for (const std::int32_t w : reached) {
        if (w == mode || !alive[w]) continue;
        alive[w] = 0;
        value[w] = portable_log(support[w]) - portable_log(support[v]);
        CHECK(got.death[w] == portable_log(support[v]));
        CHECK(got.partner[w] >= 0 && denser(got.partner[w], w) && seen[got.partner[w]]);
      }
      CHECK(got.base[v] == mode);
    }
    CHECK(got.value == value);
  }
}
