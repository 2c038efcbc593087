// Clusters from what nodes won together, beside the plainest reading of the rule.
#include "mapping/coactivation.hpp"

#include <algorithm>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Wide = __int128;

struct Plain {
  std::vector<std::int32_t> members;
  std::vector<std::pair<std::int32_t, std::int32_t>> merges;  // those that are made
};

// Dense tables and a search through all pairs.
Plain plain_coactivation(const std::vector<double>& support,
                         const std::vector<SharedWins>& shared) {
  const std::size_t n = support.size();
  std::vector<std::size_t> v;
  const bool any = std::any_of(support.begin(), support.end(), [](double m) { return m > 1; });
  for (std::size_t i = 0; i < n; ++i)
    if (!any || support[i] > 1) v.push_back(i);
  std::vector<std::vector<std::int64_t>> s(n, std::vector<std::int64_t>(n, 0));
  for (const SharedWins& w : shared) {
    s[w.a][w.b] += w.count;
    s[w.b][w.a] += w.count;
  }
  const auto strength = [&](std::size_t a) {
    std::int64_t k = 0;
    for (const std::size_t b : v) k += s[a][b];
    return k;
  };
  Plain out;
  std::vector<std::size_t> linked;
  for (const std::size_t a : v)
    if (strength(a) > 0) linked.push_back(a);
  if (linked.empty()) return out;
  v = linked;
  const std::size_t m = v.size();
  std::vector<std::vector<Wide>> t(m, std::vector<Wide>(m));
  std::vector<Wide> k(m, 0);
  Wide total = 0;
  for (std::size_t a = 0; a < m; ++a) {
    out.members.push_back(static_cast<std::int32_t>(v[a]));
    for (std::size_t b = 0; b < m; ++b) k[a] += t[a][b] = s[v[a]][v[b]];
    total += k[a];
  }
  std::vector<std::uint8_t> there(m, 1);
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
    if (into == m) return out;
    out.merges.push_back({static_cast<std::int32_t>(into), static_cast<std::int32_t>(from)});
    there[from] = 0;
    k[into] += k[from];
    for (std::size_t c = 0; c < m; ++c) {
      t[into][c] += t[from][c];
      t[c][into] = t[into][c];
    }
    t[into][into] = 0;
  }
}

void compare(const std::vector<double>& support, const std::vector<SharedWins>& shared) {
  Coactivation got;
  coactivate(support, shared, got);
  const Plain expected = plain_coactivation(support, shared);
  CHECK(got.members == expected.members);
  CHECK(got.level == expected.merges.size());
  for (std::size_t l = 0; l < std::min(got.level, expected.merges.size()); ++l)
    CHECK(got.merges[l].into == expected.merges[l].first &&
          got.merges[l].from == expected.merges[l].second);
  for (std::size_t l = 0; l < got.merges.size(); ++l)
    CHECK((got.merges[l].excess > 0.0) == (l < got.level) || l > got.level);
}

}  // namespace

TEST("coactivation: random counts, beside the plain reading") {
  Random random(9);
  for (int run = 0; run < 300; ++run) {
    const std::size_t n = 1 + random.below(14);
    const std::size_t most = run % 3 == 0 ? 2 : 50;  // small counts tie
    std::vector<double> support;
    for (std::size_t i = 0; i < n; ++i) support.push_back(static_cast<double>(1 + random.below(4)));
    std::vector<SharedWins> shared;
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b)
        if (random.below(3) == 0)
          shared.push_back({static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                            static_cast<std::int64_t>(random.below(most))});
    compare(support, shared);
  }
}

TEST("coactivation: products beyond 64 bits") {
  const std::int64_t many = std::int64_t{1} << 40;
  compare({5, 5, 5, 5, 5}, {{0, 1, 3 * many}, {1, 2, many}, {2, 3, 5 * many}, {3, 4, many + 1}});
}

TEST("coactivation: one node, no counts, and nodes that learned once") {
  compare({7}, {});
  compare({2, 3}, {});
  compare({1, 1, 1}, {{0, 1, 4}, {1, 2, 1}});
  compare({1, 2, 3, 4}, {{0, 1, 9}, {1, 2, 1}});
  Coactivation none;
  coactivate(std::vector<double>{2, 3}, {}, none);
  CHECK(none.members.empty() && none.level == 0);
}

TEST("coactivation: two groups that share what chance would give stay apart") {
  // A ring of four with equal counts: T = 8, S = 1, k = 2, so that 8 - 4 > 0 joins pairs; then 8 * 2 - 4 * 4 = 0.
  Coactivation got;
  coactivate(std::vector<double>(4, 2.0),
             std::vector<SharedWins>{{0, 1, 1}, {1, 2, 1}, {2, 3, 1}, {0, 3, 1}}, got);
  CHECK(got.level == 2);
  CHECK(got.merges[0].into == 0 && got.merges[0].from == 1);
  CHECK(got.merges[1].into == 2 && got.merges[1].from == 3);
}
