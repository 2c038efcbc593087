#include "mapping/component_hierarchy.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace phida {

void HierarchyBuilder::find_centroids(const RowMatrix& rows, std::span<const std::int32_t> members,
                                      const PhComponents& components, const ComponentMass& mass,
                                      ComponentHierarchy& out) {
  inside_.clear();
  for (std::size_t v = 0; v < members.size(); ++v)
    if (components.component[v] >= 0) inside_.push_back(members[v]);
  fit_scaling(rows, inside_, 0, quartiles_, transform_);
  // Any origin will do for distances; one of the rows keeps the numbers small.
  const double* const origin = rows[inside_.front()];
  out.centroid = RowMatrix(rows.cols());
  out.centroid.resize(components.count());
  for (std::size_t v = 0; v < members.size(); ++v) {
    if (components.component[v] < 0) continue;
    double* const centroid = out.centroid[components.component[v]];
    const double share = mass.node[v] / mass.component[components.component[v]];
    const double* const row = rows[members[v]];
    for (std::size_t j = 0; j < rows.cols(); ++j)
      centroid[j] += share * ((row[j] - origin[j]) * transform_.inverse[j]);
  }
}

void HierarchyBuilder::center(const RowMatrix& rows, ComponentHierarchy& out) {
  fit_center(rows, inside_, transform_);
  const double* const origin = rows[inside_.front()];
  for (std::size_t a = 0; a < out.centroid.rows(); ++a)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      out.centroid[a][j] += (origin[j] - transform_.center[j]) * transform_.inverse[j];
}

double HierarchyBuilder::cost(std::size_t a, std::size_t b) const {
  const double* const p = position_[a];
  const double* const q = position_[b];
  double square = 0.0;
  for (std::size_t j = 0; j < position_.cols(); ++j) square += (p[j] - q[j]) * (p[j] - q[j]);
  return weight_[a] * weight_[b] / (weight_[a] + weight_[b]) * square;
}

void HierarchyBuilder::agglomerate(const ComponentMass& mass, ComponentHierarchy& out) {
  const std::size_t n = mass.component.size();
  all_.resize(n);
  std::iota(all_.begin(), all_.end(), 0);
  fit_scaling(out.centroid, all_, 0, centroid_quartiles_, centroid_transform_);
  graph_builder_.build(out.centroid, all_, centroid_transform_, std::nullopt, {}, out.graph);
  position_ = out.centroid;
  weight_ = mass.component;
  adjacent_.assign(n * n, 0);
  cost_.assign(n * n, 0.0);
  const auto connect = [&](std::size_t a, std::size_t b) {
    adjacent_[a * n + b] = adjacent_[b * n + a] = 1;
    cost_[a * n + b] = cost_[b * n + a] = cost(a, b);
  };
  for (std::size_t a = 0; a < n; ++a)
    for (const std::int32_t b : out.graph.edges.neighbours(a))
      if (static_cast<std::size_t>(b) > a) connect(a, static_cast<std::size_t>(b));

  out.merges.clear();
  for (std::size_t groups = n; groups > mass.minimum_count; --groups) {
    std::size_t into = n, from = n;
    double cheapest = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        if (adjacent_[a * n + b] && cost_[a * n + b] < cheapest) {
          into = a;
          from = b;
          cheapest = cost_[a * n + b];
        }
      }
    }
    if (into == n) break;
    out.merges.push_back(
        {static_cast<std::int32_t>(into), static_cast<std::int32_t>(from), cheapest});
    const double united = weight_[into] + weight_[from];
    double* const to = position_[into];
    const double* const other = position_[from];
    for (std::size_t j = 0; j < position_.cols(); ++j)
      to[j] = (weight_[into] * to[j] + weight_[from] * other[j]) / united;
    weight_[into] = united;
    for (std::size_t c = 0; c < n; ++c) {
      const bool beside = adjacent_[into * n + c] || adjacent_[from * n + c];
      adjacent_[from * n + c] = adjacent_[c * n + from] = 0;
      if (beside && c != into && c != from) connect(into, c);
    }
  }
  out.level = cut_level(out.merges);
}

std::size_t cut_level(std::span<const Merge> merges) {
  std::size_t level = 0;
  double best = 0.0, best_upper = 0.0, lower = 0.0;
  for (std::size_t l = 0; l < merges.size(); ++l) {
    const double upper = merges[l].height, jump = upper - lower;
    const bool equal = std::abs(jump - best) <= 1e-8 + 1e-5 * std::abs(best);
    if (l == 0 || jump > best || (equal && upper > best_upper)) {
      level = l;
      best = jump;
      best_upper = upper;
    }
    lower = upper;
  }
  return level;
}

std::vector<std::int32_t> clusters_at(std::span<const Merge> merges, std::size_t level,
                                      std::size_t n_components) {
  std::vector<std::int32_t> group(n_components);
  std::iota(group.begin(), group.end(), 0);
  for (const Merge& merge : merges.first(level))
    for (std::int32_t& g : group)
      if (g == merge.from) g = merge.into;
  // A group is named by its lowest component, so components meet their group's name in ascending order.
  std::vector<std::int32_t> cluster(n_components);
  std::int32_t count = 0;
  for (std::size_t a = 0; a < n_components; ++a)
    cluster[a] = group[a] == static_cast<std::int32_t>(a) ? count++ : cluster[group[a]];
  return cluster;
}

}  // namespace phida
