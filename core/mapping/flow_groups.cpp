#include "mapping/flow_groups.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/disjoint_sets.hpp"

namespace phida {
namespace {

// Shorter edges count as so much of the mean length: a density needs a length.
constexpr double kShortest = 1e-6;

double distance(const double* a, const double* b, const FeatureTransform& transform,
                std::size_t dims) {
  const double* const scaling = transform.scaling();
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    const double apart = scaling == nullptr ? a[j] - b[j] : (a[j] - b[j]) * scaling[j];
    sum += apart * apart;
  }
  return std::sqrt(sum);
}

std::vector<double> edge_lengths(const RowMatrix& representative, const Flow& flow,
                                 const FeatureTransform& transform) {
  std::vector<double> length;
  double sum = 0.0, total = 0.0;
  for (const WeightedEdge& edge : flow.edges) {
    length.push_back(distance(representative[flow.members[edge.a]],
                              representative[flow.members[edge.b]], transform,
                              representative.cols()));
    sum += static_cast<double>(edge.weight) * length.back();
    total += static_cast<double>(edge.weight);
  }
  // Where all nodes are in one place, any length does.
  const double shortest = sum > 0.0 ? kShortest * (sum / total) : 1.0;
  for (double& l : length) l = std::max(l, shortest);
  return length;
}

}  // namespace

FlowGroups find_groups(const RowMatrix& representative, const Flow& flow,
                       const FeatureTransform& transform) {
  const std::size_t n = flow.members.size(), n_edges = flow.edges.size();
  const std::vector<double> length = edge_lengths(representative, flow, transform);
  std::vector<double> density(n_edges), weighted_length(n, 0.0), strength(n, 0.0);
  std::vector<double> squares(n, 0.0), effective(n, 0.0);
  FlowGroups out;
  out.height.assign(n, 0.0);
  for (std::size_t e = 0; e < n_edges; ++e) {
    const double s = static_cast<double>(flow.edges[e].weight);
    density[e] = s / length[e];
    for (const std::int32_t v : {flow.edges[e].a, flow.edges[e].b}) {
      weighted_length[v] += s * length[e];
      strength[v] += s;
      out.height[v] += density[e];
      squares[v] += density[e] * density[e];
    }
  }
  for (std::size_t v = 0; v < n; ++v) {
    if (strength[v] == 0.0) continue;
    const double loop = static_cast<double>(flow.loop[v]) / (weighted_length[v] / strength[v]);
    out.height[v] += loop;
    effective[v] = out.height[v] * out.height[v] / (squares[v] + loop * loop);
  }
  struct Place {
    double level;
    std::size_t edge;
  };
  std::vector<Place> order(n_edges);
  for (std::size_t e = 0; e < n_edges; ++e) {
    const std::int32_t a = flow.edges[e].a, b = flow.edges[e].b;
    const double level = std::min(
        {density[e] * std::sqrt(effective[a] * effective[b]), out.height[a], out.height[b]});
    order[e] = {level, e};
  }
  // Edges are in ascending order of their ends, which decides ties.
  std::stable_sort(order.begin(), order.end(),
                   [](const Place& x, const Place& y) { return x.level > y.level; });
  // Record every meeting of two trees. The lower peak ends; of equal heights, the one with the higher index is lower. A
  // threshold of prominence then selects merges: those with a more prominent peak are not made. A later meeting of the
  // same two trees would be even more prominent. So one list of meetings serves every threshold.
  DisjointSets trees;
  trees.reset(n);
  const auto lower = [&](std::int32_t x, std::int32_t y) {
    return out.height[x] < out.height[y] || (out.height[x] == out.height[y] && x > y);
  };
  for (const auto& [level, e] : order) {
    const std::int32_t a = flow.edges[e].a, b = flow.edges[e].b;
    const std::int32_t root_a = trees.root(a), root_b = trees.root(b);
    if (root_a == root_b) continue;
    const bool a_goes = lower(root_a, root_b);
    const std::int32_t peak = a_goes ? root_a : root_b, partner = a_goes ? root_b : root_a;
    out.merges.push_back({a, b, peak, partner, out.height[peak], level, flow.edges[e].weight,
                          static_cast<std::int64_t>(strength[peak]) + flow.loop[peak]});
    trees.hang(peak, partner);
  }
  std::stable_sort(
      out.merges.begin(), out.merges.end(),
      [](const FlowMerge& x, const FlowMerge& y) { return x.prominence() < y.prominence(); });
  return out;
}

}  // namespace phida
