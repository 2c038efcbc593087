// Counts of nodes that won together, beside a plain table.
#include "nodes/co_wins.hpp"

#include <map>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Table = std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t>;

Table table_of(const CoWins& wins) {
  Table table;
  wins.each([&](std::int32_t r, std::int32_t b, std::int64_t count) {
    CHECK((table.count({r, b}) == 0));
    table[{r, b}] = count;
  });
  return table;
}

}  // namespace

TEST("co_wins: a random program, beside a plain table") {
  Random random(5);
  for (int run = 0; run < 30; ++run) {
    CoWins wins;
    Table plain;
    std::int32_t n = 0;
    for (int step = 0; step < 400; ++step) {
      const std::size_t what = random.below(40);
      if (n < 3 || what == 0) {
        wins.add_node();
        ++n;
      } else if (what == 1) {  // a node goes
        const auto gone = static_cast<std::int32_t>(random.below(n));
        std::vector<std::size_t> kept;
        Table left;
        for (std::int32_t i = 0; i < n; ++i)
          if (i != gone) kept.push_back(i);
        for (const auto& [pair, count] : plain) {
          const auto [r, b] = pair;
          if (r != gone && b != gone) left[{r - (r > gone), b - (b > gone)}] = count;
        }
        wins.keep(kept);
        plain = left;
        --n;
      } else if (what == 2) {  // one takes in another
        const auto into = static_cast<std::int32_t>(random.below(n));
        const auto gone = static_cast<std::int32_t>(random.below(n));
        if (into == gone) continue;
        Table left;
        for (const auto& [pair, count] : plain) {
          const auto r = pair.first == gone ? into : pair.first;
          const auto b = pair.second == gone ? into : pair.second;
          if (r != b) left[{r, b}] += count;
        }
        wins.absorb(into, gone);
        plain = left;
      } else if (what == 3) {
        Table left;
        for (const auto& [pair, count] : plain)
          if (count / 2 > 0) left[pair] = count / 2;
        wins.fade(0.5);
        plain = left;
      } else {
        const auto r = static_cast<std::int32_t>(random.below(n));
        const auto b = static_cast<std::int32_t>(random.below(n));
        if (r == b) continue;
        wins.add(r, b, 1);
        ++plain[{r, b}];
      }
      CHECK(wins.size() == static_cast<std::size_t>(n));
      CHECK(table_of(wins) == plain);
    }
  }
}
