// Greedy modularity, beside the plainest reading of the rule.
#include "mapping/modularity.hpp"

#include <algorithm>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Wide = __int128;
using Edges = std::vector<WeightedEdge>;
using Loops = std::vector<std::int64_t>;

// Dense tables and a search through all pairs; the merges that gain modularity.
std::vector<std::pair<std::int32_t, std::int32_t>> plain_merges(const Edges& edges,
                                                                const Loops& loop) {
  const std::size_t m = loop.size();
  std::vector<std::vector<Wide>> t(m, std::vector<Wide>(m, 0));
  std::vector<Wide> k(loop.begin(), loop.end());
  for (const WeightedEdge& e : edges) {
    t[e.a][e.b] += e.weight;
    t[e.b][e.a] += e.weight;
    k[e.a] += e.weight;
    k[e.b] += e.weight;
  }
  Wide total = 0;
  for (const Wide s : k) total += s;
  std::vector<std::uint8_t> there(m, 1);
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;
  for (;;) {
    Wide best = 0;
    std::size_t into = m, from = m;
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = a + 1; b < m; ++b)
        if (there[a] && there[b] && total * t[a][b] - k[a] * k[b] > best) {
          best = total * t[a][b] - k[a] * k[b];
          into = a;
          from = b;
        }
    if (into == m) return merges;
    merges.push_back({static_cast<std::int32_t>(into), static_cast<std::int32_t>(from)});
    there[from] = 0;
    k[into] += k[from];
    for (std::size_t c = 0; c < m; ++c) {
      t[into][c] += t[from][c];
      t[c][into] = t[into][c];
    }
    t[into][into] = 0;
  }
}

void compare(const Edges& edges, const Loops& loop) {
  const ModularityMerges got = maximise_modularity(edges, loop);
  const auto expected = plain_merges(edges, loop);
  CHECK(got.level == expected.size());
  for (std::size_t l = 0; l < std::min(got.level, expected.size()); ++l)
    CHECK(got.merges[l].into == expected[l].first && got.merges[l].from == expected[l].second);
  for (std::size_t l = 0; l < got.merges.size(); ++l)
    CHECK((got.merges[l].height < 0.0) == (l < got.level) || l > got.level);
}

}  // namespace

TEST("modularity: random graphs with loops, beside the plain reading") {
  Random random(9);
  for (int run = 0; run < 400; ++run) {
    const std::size_t n = 1 + random.below(14);
    const std::size_t most = run % 3 == 0 ? 2 : 50;  // small weights tie
    Edges edges;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b)
        if (random.below(3) == 0)
          edges.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                           static_cast<std::int64_t>(1 + random.below(most))});
    Loops loop;
    for (std::size_t a = 0; a < n; ++a)
      loop.push_back(run % 2 == 0 ? 0 : 2 * static_cast<std::int64_t>(random.below(most)));
    compare(edges, loop);
  }
}

TEST("modularity: products beyond 64 bits") {
  const std::int64_t many = std::int64_t{1} << 40;
  compare({{0, 1, 3 * many}, {1, 2, many}, {2, 3, 5 * many}, {3, 4, many + 1}}, {0, many, 0, 2, 0});
}

TEST("modularity: one vertex, no edges") {
  compare({}, {7});
  compare({}, {0, 2});
  CHECK(maximise_modularity({}, {}).merges.empty());
}

TEST("modularity: two clusters that share what chance would give stay apart") {
  // A ring of four with equal weights: T = 8, S = 1, k = 2, so that 8 - 4 > 0 joins pairs; then 8 * 2 - 4 * 4 = 0.
  const ModularityMerges got =
      maximise_modularity(Edges{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}}, Loops(4, 0));
  CHECK(got.level == 2);
  CHECK(got.merges[0].into == 0 && got.merges[0].from == 1);
  CHECK(got.merges[1].into == 2 && got.merges[1].from == 3);
}
