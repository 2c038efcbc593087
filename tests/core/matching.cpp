#include <cmath>

#include "check.hpp"
#include "matched_nodes.hpp"

using namespace phida;

TEST("matching: a tie of roots for second place is resolved across blocks") {
  Random random(4);
  const double origin[8] = {};
  for (int round = 0; round < 50; ++round) {
    const RowMatrix pair = plain::equal_roots(random);
    RowMatrix rows(2);
    for (std::size_t i = 0; i < 30; ++i) {
      const double far[2] = {10.0 + static_cast<double>(i), 10.0};
      rows.append(i == 11 ? pair[0] : i == 27 ? pair[1] : far);
    }
    const double near[2] = {0.1, 0.1};
    rows.append(near);
    const Match got = Nodes(rows).match(origin, nullptr, 0.0);
    CHECK(got.winner == 30 && got.runner_up == 11);
  }
}

TEST("matching: distances that overflow still give two different nodes") {
  Random random(7);
  const AlignedDoubles inverse(8, 1e300), x = random.values(8);
  for (double gamma : {0.0, 0.5}) {
    for (std::size_t n = 2; n <= 20; ++n) {
      Nodes nodes(random.rows(n, 3));
      const Match all = nodes.match(x.data(), inverse.data(), gamma);
      CHECK(all.winner == 0 && all.runner_up == 1 && std::isinf(all.winner_distance));
      // One node equals the sample: it wins, and the first other node is the runner-up.
      const std::size_t hit = n - 1;
      std::copy_n(x.data(), 3, nodes.rows[hit]);
      nodes.matcher.set(hit, x.data());
      const Match one = nodes.match(x.data(), inverse.data(), gamma);
      CHECK(one.winner == static_cast<std::int32_t>(hit) && one.runner_up == 0 &&
            one.winner_distance == 0.0);
    }
  }
}
