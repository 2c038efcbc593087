#include "mapping/flow.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace phida {
namespace {

constexpr std::int32_t kOutside = -1;

double in_samples(std::int64_t count, std::int64_t unit) {
  return static_cast<double>(count) / static_cast<double>(unit);
}

// Keeps the members whose strength is positive, if there are at least two of those.
void drop_unconnected(const std::vector<std::uint8_t>& stays, Flow& flow) {
  if (std::count(stays.begin(), stays.end(), 1) < 2) return;
  std::vector<std::int32_t> place(stays.size(), kOutside);
  std::size_t n = 0;
  for (std::size_t v = 0; v < stays.size(); ++v) {
    if (!stays[v]) continue;
    place[v] = static_cast<std::int32_t>(n);
    flow.members[n] = flow.members[v];
    flow.loop[n++] = flow.loop[v];
  }
  flow.members.resize(n);
  flow.loop.resize(n);
  for (WeightedEdge& edge : flow.edges) edge = {place[edge.a], place[edge.b], edge.weight};
}

// In ascending order of a, then b. There are few edges of each a, so that finding their places first saves most of the
// comparisons.
void sort_edges(std::size_t n_members, std::vector<WeightedEdge>& edges) {
  std::vector<std::size_t> next(n_members + 1, 0);
  for (const WeightedEdge& edge : edges) ++next[edge.a + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<WeightedEdge> sorted(edges.size());
  for (const WeightedEdge& edge : edges) sorted[next[edge.a]++] = edge;
  auto begin = sorted.begin();
  for (std::size_t a = 0; a < n_members; ++a) {
    const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(next[a]);
    std::sort(begin, end, [](const WeightedEdge& x, const WeightedEdge& y) { return x.b < y.b; });
    begin = end;
  }
  edges = std::move(sorted);
}

}  // namespace

bool is_valley(double count, double offset, double offset_square) {
  return count > 4.0 &&
         4.0 * (offset * offset) > (3.0 * count + 2.0 * std::sqrt(count)) * offset_square;
}

Flow find_flow(std::span<const double> support, const PairCounts& counts) {
  Flow flow;
  flow.cut.assign(counts.pairs.size(), Cut::kNone);
  const std::size_t n = support.size();
  const bool any = std::any_of(support.begin(), support.end(), [](double m) { return m > 1.0; });
  const auto inside = [&](const DirectedPair& p) {
    return !any || (support[p.winner] > 1.0 && support[p.runner_up] > 1.0);
  };
  // Whoever has no counts with others leaves; a pair makes two that stay.
  std::vector<std::int32_t> place(n, kOutside);
  for (const DirectedPair& p : counts.pairs)
    if (inside(p)) place[p.winner] = place[p.runner_up] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (place[i] == kOutside) continue;
    place[i] = static_cast<std::int32_t>(flow.members.size());
    flow.members.push_back(static_cast<std::int32_t>(i));
  }
  const std::size_t n_members = flow.members.size();
  if (n_members == 0) return flow;

  // What each member won in all, and its sums towards the others.
  std::vector<std::int64_t> won(n_members), flowing(n_members, 0), all(n_members, 0);
  std::vector<double> offset(n_members, 0.0), offset_square(n_members, 0.0);
  for (std::size_t v = 0; v < n_members; ++v) won[v] = counts.unpaired[flow.members[v]];
  for (const DirectedPair& p : counts.pairs) {
    const std::int32_t a = place[p.winner];
    if (a == kOutside) continue;
    won[a] += p.count;
    if (!inside(p)) continue;
    all[a] += p.count;
    offset[a] += p.offset;
    offset_square[a] += p.offset_square;
  }
  std::vector<std::uint8_t> alone(n_members);
  for (std::size_t v = 0; v < n_members; ++v)
    alone[v] = is_valley(in_samples(all[v], counts.unit), offset[v], offset_square[v]);

  for (std::size_t i = 0; i < counts.pairs.size(); ++i) {
    const DirectedPair& p = counts.pairs[i];
    if (!inside(p)) continue;
    const std::int32_t a = place[p.winner], b = place[p.runner_up];
    if (is_valley(in_samples(p.count, counts.unit), p.offset, p.offset_square)) {
      flow.cut[i] = Cut::kValley;
    } else if (alone[a]) {
      flow.cut[i] = Cut::kAlone;
    } else {
      flowing[a] += p.count;
      flow.edges.push_back({std::min(a, b), std::max(a, b), p.count});
    }
  }
  sort_edges(n_members, flow.edges);
  // Both directions of a pair are one edge.
  std::size_t last = 0;
  for (std::size_t e = 1; e < flow.edges.size(); ++e) {
    if (flow.edges[e].a == flow.edges[last].a && flow.edges[e].b == flow.edges[last].b)
      flow.edges[last].weight += flow.edges[e].weight;
    else
      flow.edges[++last] = flow.edges[e];
  }
  if (!flow.edges.empty()) flow.edges.resize(last + 1);

  flow.loop.resize(n_members);
  std::vector<std::uint8_t> stays(n_members);
  for (std::size_t v = 0; v < n_members; ++v) {
    flow.loop[v] = 2 * (won[v] - flowing[v]);
    stays[v] = flow.loop[v] > 0;
  }
  for (const WeightedEdge& edge : flow.edges) stays[edge.a] = stays[edge.b] = 1;
  drop_unconnected(stays, flow);
  return flow;
}

}  // namespace phida
