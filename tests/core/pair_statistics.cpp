// Sums per winner and runner-up, beside a plain table.
#include "nodes/pair_statistics.hpp"

#include <map>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Table = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;  // (a, a): unpaired

// Offsets are three times the count, their squares five times, so that sums are checked too.
Table table_of(const PairStatistics& pairs) {
  Table table;
  for (const PairSums& p : pairs.sorted()) {
    CHECK((table.count({p.winner, p.runner_up}) == 0));
    CHECK(p.offset >= 3.0 * static_cast<double>(p.count));
    CHECK(p.offset_square >= 5.0 * static_cast<double>(p.count));
    table[{p.winner, p.runner_up}] = p.count;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs.unpaired()[i] > 0)
      table[{static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)}] = pairs.unpaired()[i];
  return table;
}

PairSums sample(std::int32_t winner, std::int32_t runner_up) {
  return {winner, runner_up, 1, 3.0, 5.0};
}

}  // namespace

TEST("pair_statistics: a random program, beside a plain table") {
  Random random(5);
  for (int run = 0; run < 30; ++run) {
    PairStatistics pairs;
    Table plain;
    std::int32_t n = 0;
    for (int step = 0; step < 400; ++step) {
      const std::size_t what = random.below(40);
      Table left;
      if (n < 3 || what == 0) {
        pairs.add_node();
        ++n;
      } else if (what ==
                 1) {  // a node goes: what it won is lost, what others won with it is unpaired
        const auto gone = static_cast<std::int32_t>(random.below(n));
        std::vector<std::size_t> kept;
        for (std::int32_t i = 0; i < n; ++i)
          if (i != gone) kept.push_back(i);
        for (const auto& [pair, count] : plain) {
          const auto [r, b] = pair;
          if (r == gone) continue;
          const auto winner = r - (r > gone);
          left[{winner, b == gone ? winner : b - (b > gone)}] += count;
        }
        pairs.keep(kept);
        plain = left;
        --n;
      } else if (what == 2) {  // one takes in another
        const auto into = static_cast<std::int32_t>(random.below(n));
        const auto gone = static_cast<std::int32_t>(random.below(n));
        if (into == gone) continue;
        for (const auto& [pair, count] : plain)
          left[{pair.first == gone ? into : pair.first,
                pair.second == gone ? into : pair.second}] += count;
        pairs.absorb(into, gone);
        plain = left;
      } else if (what == 3) {
        for (const auto& [pair, count] : plain)
          if (count / 2 > 0) left[pair] = count / 2;
        pairs.fade(0.5);
        plain = left;
      } else {
        const auto r = static_cast<std::int32_t>(random.below(n));
        const auto b = static_cast<std::int32_t>(random.below(n));
        if (r == b) continue;
        pairs.add(sample(r, b));
        ++plain[{r, b}];
      }
      CHECK(pairs.size() == static_cast<std::size_t>(n));
      CHECK(table_of(pairs) == plain);
    }
  }
}

TEST("offset_from_plane: 0 on the plane, 1 level with the winner, beyond it more") {
  AlignedDoubles winner(8, 0.0), runner_up(8, 0.0), x(8, 0.0), scaling(8, 1.0);
  winner[0] = 2.0;
  runner_up[0] = 6.0;
  const auto offset = [&](double first, double second) {
    x[0] = first;
    x[1] = second;
    return offset_from_plane(x.data(), winner.data(), runner_up.data(), nullptr, 8);
  };
  CHECK(offset(4.0, 7.0) == 0.0);
  CHECK(offset(2.0, -3.0) == 1.0);
  CHECK(offset(0.0, 0.0) == 2.0);
  CHECK(offset(6.0, 0.0) == 1.0);  // level with the runner-up
  scaling[0] = 10.0;               // the same in any unit
  CHECK(offset_from_plane(x.data(), winner.data(), runner_up.data(), scaling.data(), 8) == 1.0);
  CHECK(offset_from_plane(x.data(), winner.data(), winner.data(), nullptr, 8) == 0.0);
}
