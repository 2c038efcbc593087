#include "learning/refresh.hpp"

#include <algorithm>
#include <cmath>

#include "nodes/node_removal.hpp"
#include "simd/kernels.hpp"

namespace phida {

bool Refresher::refresh(NodeState& nodes, const Moments& moments, std::size_t interval,
                        const Switches& switches, bool records) {
  bool removed = switches.remove && remove_low_support(nodes, moments, interval);
  find_input(nodes, moments, switches);
  if (switches.remove && remove_isolated(nodes, moments)) {
    removed = true;
    find_input(nodes, moments, switches);
  }
  find_components(switches);
  map_components(nodes, records);
  name_components(nodes);
  return removed;
}

void Refresher::describe(NodeState& nodes, const Moments& moments, const Switches& switches) {
  find_input(nodes, moments, switches);
  find_components(switches);
  map_components(nodes, true);
  name_components(nodes);  // component names of a forged state may be wrong
}

void Refresher::name_components(NodeState& nodes) const {
  std::fill(nodes.component.begin(), nodes.component.end(), kNone);
  for (std::size_t v = 0; v < view_.members.size(); ++v)
    nodes.component[view_.members[v]] = view_.components.component[v];
}

// Removes nodes with support 1 if there are more of them than the interval. A node stays if its component has fewer
// than two nodes of higher support (6a).
bool Refresher::remove_low_support(NodeState& nodes, const Moments& moments, std::size_t interval) {
  const auto low = [&](std::size_t i) { return nodes.support[i] <= 1.0; };
  const std::size_t n = nodes.size();
  std::size_t n_low = 0;
  for (std::size_t i = 0; i < n; ++i) n_low += low(i);
  if (n_low <= interval || n_low == n) return false;
  // Nodes may have been removed since components were found, so a number may be beyond n.
  high_members_.assign(*std::max_element(nodes.component.begin(), nodes.component.end()) + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (!low(i) && nodes.component[i] != kNone) ++high_members_[nodes.component[i]];
  kept_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const bool needed = nodes.component[i] != kNone && high_members_[nodes.component[i]] < 2;
    if (!low(i) || needed) kept_.push_back(i);
  }
  return remove_others(nodes, moments);
}

// Removes isolated inactive nodes that never learned a second sample (6d).
bool Refresher::remove_isolated(NodeState& nodes, const Moments& moments) {
  removed_.assign(nodes.size(), 0);
  for (std::size_t v = 0; v < view_.members.size(); ++v) {
    const std::int32_t i = view_.members[v];
    removed_[i] = !view_.input[v] && nodes.support[i] <= 1.0 && !nodes.active[i];
  }
  kept_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!removed_[i]) kept_.push_back(i);
  return remove_others(nodes, moments);
}

// Removes the nodes not marked as kept; false if there is none.
bool Refresher::remove_others(NodeState& nodes, const Moments& moments) {
  if (kept_.size() == nodes.size()) return false;
  pass_on_wins(nodes, moments);
  keep_nodes(nodes, kept_);
  rows_unknown();
  return true;
}

// Credits the wins of a removed node to the nearest kept node, so that every sample counts somewhere. For the lineage
// they count as won before the last mapping, so they are not evidence of a change.
void Refresher::pass_on_wins(NodeState& nodes, const Moments& moments) {
  if (kept_.empty()) return;
  const std::size_t dims = nodes.dims();
  inverse_.assign(nodes.representative.stride(), 0.0);
  for (std::size_t j = 0; j < dims; ++j)
    if (moments.m2[j] > 0.0) inverse_[j] = 1.0 / std::sqrt(moments.m2[j]);
  if (kept_rows_.dims() != dims) kept_rows_ = BlockedRows(dims);
  kept_rows_.resize(kept_.size());
  for (std::size_t k = 0; k < kept_.size(); ++k) kept_rows_.set(k, nodes.representative[kept_[k]]);
  squares_.resize(padded(kept_.size()));
  for (std::size_t i = 0, next = 0; i < nodes.size(); ++i) {
    if (next < kept_.size() && kept_[next] == i) {
      ++next;
      continue;
    }
    kernels().squared_distances(nodes.representative[i], inverse_.data(), kept_rows_.data(),
                                kept_rows_.blocks(), dims, squares_.data());
    const auto nearest = std::min_element(squares_.begin(), squares_.begin() + kept_.size());
    const std::size_t heir = kept_[nearest - squares_.begin()];
    nodes.lineage.won[heir] += nodes.lineage.won[i];
    nodes.lineage.won_mapped[heir] += nodes.lineage.won[i];
  }
}

// The active nodes, or all if none is active; their graph; and those of them that are not isolated (6b-d).
void Refresher::find_input(const NodeState& nodes, const Moments& moments,
                           const Switches& switches) {
  const bool any = std::find(nodes.active.begin(), nodes.active.end(), 1) != nodes.active.end();
  if (!any) rows_unknown();  // the scaling was updated only for active rows
  view_.members.clear();
  view_.support.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (any && !nodes.active[i]) continue;
    view_.members.push_back(static_cast<std::int32_t>(i));
    view_.support.push_back(nodes.support[i]);
  }
  scaling_.fit(nodes.representative, view_.members, transform_);
  graph_builder_.build(nodes.representative, view_.members, transform_,
                       WeightSource{nodes.m2, nodes.support, moments}, nodes.stamp, view_.graph);
  if (switches.prune)
    choose_input(view_.graph.edges, view_.support, view_.input);
  else
    view_.input.assign(view_.members.size(), 1);
}

void Refresher::find_components(const Switches& switches) {
  h0_.compute(view_.graph.edges, view_.support, view_.input, view_.persistence);
  if (switches.ph)
    cut_components(view_.persistence, view_.support, scratch_, view_.components);
  else
    separate_components(view_.input, view_.components);
}

// If the minimum count equals the number of components, nothing can be merged, and learning needs no centroids.
void Refresher::map_components(const NodeState& nodes, bool records) {
  ComponentHierarchy& hierarchy = view_.hierarchy;
  weigh_components(view_.components, view_.support, scratch_, view_.mass);
  hierarchy.merges.clear();
  hierarchy.level = 0;
  const bool may_merge = view_.mass.minimum_count < view_.components.count();
  if (!records && !may_merge) return;
  hierarchy_builder_.find_centroids(nodes.representative, view_.members, view_.components,
                                    view_.mass, hierarchy);
  hierarchy_builder_.agglomerate(view_.mass, hierarchy);
}

}  // namespace phida
