#include "co_wins_state.hpp"

#include <algorithm>
#include <tuple>

#include "entries.hpp"

namespace phida::bindings {
namespace {

constexpr std::int64_t kMostInAll = std::int64_t{1} << 60;  // sums of all counts stay in 64 bits

}  // namespace

void put_co_wins(nb::dict& to, const CoWins& co_wins) {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int64_t>> all;
  co_wins.each([&](std::int32_t winner, std::int32_t runner_up, std::int64_t count) {
    all.emplace_back(winner, runner_up, count);
  });
  std::sort(all.begin(), all.end());
  std::vector<std::int32_t> winner, runner_up;
  std::vector<std::int64_t> count;
  for (const auto& [r, b, n] : all) {
    winner.push_back(r);
    runner_up.push_back(b);
    count.push_back(n);
  }
  to["co_winner"] = to_array(winner);
  to["co_runner_up"] = to_array(runner_up);
  to["co_count"] = to_array(count);
}

CoWins co_wins_from(const nb::dict& from, std::size_t n_nodes) {
  CoWins out;
  for (std::size_t i = 0; i < n_nodes; ++i) out.add_node();
  const auto winner = column<std::int32_t>(from, "co_winner");
  const auto runner_up = column<std::int32_t>(from, "co_runner_up", winner.size());
  const auto count = column<std::int64_t>(from, "co_count", winner.size());
  const auto n = static_cast<std::int32_t>(n_nodes);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < winner.size(); ++i) {
    const std::int32_t r = winner[i], b = runner_up[i];
    require(r >= 0 && r < n && b >= 0 && b < n && r != b,
            "state: counts of nodes that are not there");
    require(i == 0 || std::tie(winner[i - 1], runner_up[i - 1]) < std::tie(r, b),
            "state: counts of nodes must be in ascending order");
    require(count[i] > 0 && count[i] <= kMostInAll - total, "state: 'co_count' is out of range");
    total += count[i];
    out.add(r, b, count[i]);
  }
  return out;
}

void take_co_wins(const nb::dict& from, LearnerState& state) {
  NodeState& nodes = state.nodes;
  if (!from.contains("co_count")) {
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes.co_wins.add_node();
    state.counted_from = state.n_seen;
    return;
  }
  state.counted_from = entry<std::int64_t>(from, "counted_from");
  require(state.counted_from >= 0 && state.counted_from <= state.n_seen,
          "state: 'counted_from' is out of range");
  nodes.co_wins = co_wins_from(from, nodes.size());
}

}  // namespace phida::bindings
