// Flow between nodes: who takes part, what valleys cut, loops.
#include "mapping/flow.hpp"

#include "check.hpp"

using namespace phida;

namespace {

// Samples that are spread evenly between plane and winner (u uniform), or that stand off (u = 1).
DirectedPair even(std::int32_t winner, std::int32_t runner_up, std::int64_t count) {
  const auto n = static_cast<double>(count);
  return {winner, runner_up, count, n / 2.0, n / 3.0};
}
DirectedPair standing_off(std::int32_t winner, std::int32_t runner_up, std::int64_t count) {
  const auto n = static_cast<double>(count);
  return {winner, runner_up, count, n, n};
}

PairCounts counts_of(std::vector<DirectedPair> pairs, std::size_t n, std::int64_t unit = 1) {
  return {std::move(pairs), std::vector<std::int64_t>(n, 0), unit};
}

}  // namespace

TEST("is_valley: never with fewer than five samples, and not for an even spread") {
  for (int n = 1; n < 5; ++n) CHECK(!is_valley(n, n, n));
  CHECK(is_valley(5, 5, 5));
  CHECK(!is_valley(0, 0, 0));
  CHECK(!is_valley(1000, 500, 1000.0 / 3.0));
}

TEST("flow: both directions add up, and what flows nowhere is a loop") {
  PairCounts counts = counts_of({even(0, 1, 10), even(1, 0, 4), even(1, 2, 6)}, 3);
  counts.unpaired[1] = 5;
  const Flow flow = find_flow(std::vector<double>{3, 3, 3}, counts);
  CHECK((flow.members == std::vector<std::int32_t>{0, 1, 2}));
  CHECK(flow.edges.size() == 2 && flow.edges[0].weight == 14 && flow.edges[1].weight == 6);
  CHECK((flow.loop == std::vector<std::int64_t>{0, 10, 0}));
}

TEST("flow: a valley cuts its own direction") {
  const Flow flow =
      find_flow(std::vector<double>{3, 3, 3},
                counts_of({standing_off(0, 1, 20), even(0, 2, 300), even(1, 0, 7)}, 3));
  CHECK(flow.cut[0] == Cut::kValley && flow.cut[1] == Cut::kNone && flow.cut[2] == Cut::kNone);
  CHECK(flow.edges[0].weight == 7 && flow.edges[1].weight == 300);
  CHECK((flow.loop == std::vector<std::int64_t>{40, 0, 0}));
}

TEST("flow: a node whose samples stand off from everything is cut from everything") {
  // Neither pair alone has five samples; together they show it.
  const Flow flow =
      find_flow(std::vector<double>{3, 3, 3},
                counts_of({standing_off(0, 1, 4), standing_off(0, 2, 4), even(1, 2, 9)}, 3));
  CHECK(flow.cut[0] == Cut::kAlone && flow.cut[1] == Cut::kAlone && flow.cut[2] == Cut::kNone);
}

TEST("flow: nodes with one sample stay outside, but what was won with them counts") {
  const Flow flow = find_flow(std::vector<double>{3, 1, 3, 3},
                              counts_of({even(0, 1, 8), even(0, 2, 5), even(1, 3, 6)}, 4));
  CHECK((flow.members == std::vector<std::int32_t>{0, 2}));
  CHECK((flow.loop == std::vector<std::int64_t>{16, 0}));
}

TEST("flow: a member that won nothing and that nothing flows to leaves") {
  const Flow flow = find_flow(std::vector<double>{3, 3, 3},
                              counts_of({even(0, 1, 300), standing_off(0, 2, 20)}, 3));
  CHECK((flow.members == std::vector<std::int32_t>{0, 1}));
  CHECK(flow.edges.size() == 1 && flow.edges[0].a == 0 && flow.edges[0].b == 1);
  // Where it would leave fewer than two, all stay.
  const Flow stays = find_flow(std::vector<double>{3, 3}, counts_of({standing_off(0, 1, 50)}, 2));
  CHECK(stays.members.size() == 2 && stays.edges.empty());
}

TEST("flow: nobody takes part where no two nodes have counts with each other") {
  CHECK(find_flow(std::vector<double>{3, 3}, counts_of({}, 2)).members.empty());
  CHECK(find_flow(std::vector<double>{3, 1}, counts_of({even(0, 1, 9)}, 2)).members.empty());
  CHECK(find_flow(std::vector<double>{1, 1}, counts_of({even(0, 1, 9)}, 2)).members.size() == 2);
}

TEST("flow: counts in units of a fading sample") {
  const std::int64_t unit = 1 << 24;
  DirectedPair pair = standing_off(0, 1, 4 * unit);
  pair.offset = pair.offset_square = 4.0;
  const Flow flow = find_flow(std::vector<double>{3, 3}, counts_of({pair}, 2, unit));
  CHECK(flow.cut[0] == Cut::kNone);  // four samples, not many millions
}
