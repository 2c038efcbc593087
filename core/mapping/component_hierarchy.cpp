#include "mapping/component_hierarchy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace phida {

void HierarchyBuilder::find_centroids(const RowMatrix& rows, std::span<const std::int32_t> members,
                                      const PhComponents& components, const ComponentMass& mass,
                                      ComponentHierarchy& out) {
  inside_.clear();
  for (std::size_t v = 0; v < members.size(); ++v)
    if (components.component[v] >= 0) inside_.push_back(members[v]);
  fit_scaling(rows, inside_, 0, quartiles_, out.transform);
  // Distances do not depend on the origin; one of the rows keeps the numbers small.
  out.origin = inside_.front();
  const double* const origin = rows[out.origin];
  out.centroid = RowMatrix(rows.cols());
  out.centroid.resize(components.count());
  for (std::size_t v = 0; v < members.size(); ++v) {
    if (components.component[v] < 0) continue;
    double* const centroid = out.centroid[components.component[v]];
    const double share = mass.node[v] / mass.component[components.component[v]];
    const double* const row = rows[members[v]];
    for (std::size_t j = 0; j < rows.cols(); ++j)
      centroid[j] += share * ((row[j] - origin[j]) * out.transform.inverse[j]);
  }
}

void center_centroids(const RowMatrix& rows, std::span<const std::int32_t> inside,
                      ComponentHierarchy& hierarchy) {
  FeatureTransform& transform = hierarchy.transform;
  fit_center(rows, inside, transform);
  const double* const origin = rows[hierarchy.origin];
  for (std::size_t a = 0; a < hierarchy.centroid.rows(); ++a)
    for (std::size_t j = 0; j < rows.cols(); ++j)
      hierarchy.centroid[a][j] += (origin[j] - transform.center[j]) * transform.inverse[j];
}

double HierarchyBuilder::cost(std::int32_t a, std::int32_t b) const {
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
  links_.clear();
  for (const std::int32_t a : all_)
    for (const std::int32_t b : out.graph.edges.neighbours(a))
      if (a < b) links_.push_back({a, b, cost(a, b)});

  out.merges.clear();
  const auto cheaper = [](const Link& x, const Link& y) {
    return std::tie(x.cost, x.a, x.b) < std::tie(y.cost, y.a, y.b);  // ties: lower ids first
  };
  for (std::size_t groups = n; groups > mass.minimum_count && !links_.empty(); --groups) {
    const Link cheapest = *std::min_element(links_.begin(), links_.end(), cheaper);
    if (!std::isfinite(cheapest.cost)) break;  // merges of infinite cost are not eligible
    out.merges.push_back({cheapest.a, cheapest.b, cheapest.cost});
    unite(cheapest.a, cheapest.b);
  }
  out.level = cut_level(out.merges);
}

// The merged group keeps the lower id and the neighbours of both.
void HierarchyBuilder::unite(std::int32_t into, std::int32_t from) {
  const double united = weight_[into] + weight_[from];
  double* const to = position_[into];
  const double* const other = position_[from];
  for (std::size_t j = 0; j < position_.cols(); ++j)
    to[j] = (weight_[into] * to[j] + weight_[from] * other[j]) / united;
  weight_[into] = united;
  seen_.assign(weight_.size(), 0);
  seen_[into] = 1;
  std::size_t kept = 0;
  for (Link link : links_) {
    if (link.a == from) link.a = into;
    if (link.b == from) link.b = into;
    if (link.a == into || link.b == into) {
      const std::int32_t neighbour = link.a == into ? link.b : link.a;
      if (seen_[neighbour]) continue;
      seen_[neighbour] = 1;
      link = {std::min(into, neighbour), std::max(into, neighbour), cost(into, neighbour)};
    }
    links_[kept++] = link;
  }
  links_.resize(kept);
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

}  // namespace phida
