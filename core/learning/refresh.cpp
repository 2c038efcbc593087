#include "learning/refresh.hpp"

#include <algorithm>

#include "nodes/node_removal.hpp"

namespace phida {

bool Refresher::refresh(NodeState& nodes, const Moments& moments, std::size_t interval,
                        const Switches& switches, bool records) {
  bool removed = switches.remove && remove_low_support(nodes, interval);
  find_input(nodes, moments, switches);
  if (switches.remove && remove_isolated(nodes)) {
    removed = true;
    find_input(nodes, moments, switches);
  }
  find_components(switches);
  map_components(nodes, records);
  std::fill(nodes.component.begin(), nodes.component.end(), kNone);
  for (std::size_t v = 0; v < view_.members.size(); ++v)
    nodes.component[view_.members[v]] = view_.components.component[v];
  return removed;
}

void Refresher::describe(const NodeState& nodes, const Moments& moments, const Switches& switches) {
  find_input(nodes, moments, switches);
  find_components(switches);
  map_components(nodes, true);
}

// Nodes with support 1 go once there are more of them than the interval, unless their component would be left with
// fewer than two others (6a).
bool Refresher::remove_low_support(NodeState& nodes, std::size_t interval) {
  const auto low = [&](std::size_t i) { return nodes.support[i] <= 1.0; };
  const std::size_t n = nodes.size();
  std::size_t n_low = 0;
  for (std::size_t i = 0; i < n; ++i) n_low += low(i);
  if (n_low <= interval || n_low == n) return false;
  // Nodes may have gone since components were found, so that a number may be beyond n.
  high_members_.assign(*std::max_element(nodes.component.begin(), nodes.component.end()) + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    if (!low(i) && nodes.component[i] != kNone) ++high_members_[nodes.component[i]];
  kept_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const bool needed = nodes.component[i] != kNone && high_members_[nodes.component[i]] < 2;
    if (!low(i) || needed) kept_.push_back(i);
  }
  if (kept_.size() == n) return false;
  keep_nodes(nodes, kept_);
  rows_unknown();
  return true;
}

// Isolated nodes that never learned a second sample and are not active go (6d).
bool Refresher::remove_isolated(NodeState& nodes) {
  removed_.assign(nodes.size(), 0);
  for (std::size_t v = 0; v < view_.members.size(); ++v) {
    const std::int32_t i = view_.members[v];
    removed_[i] = !view_.input[v] && nodes.support[i] <= 1.0 && !nodes.active[i];
  }
  kept_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (!removed_[i]) kept_.push_back(i);
  if (kept_.size() == nodes.size()) return false;
  keep_nodes(nodes, kept_);
  rows_unknown();
  return true;
}

// The active nodes, or all if there are none; their graph; and those of them that are not isolated (6b-d).
void Refresher::find_input(const NodeState& nodes, const Moments& moments,
                           const Switches& switches) {
  const bool any = std::find(nodes.active.begin(), nodes.active.end(), 1) != nodes.active.end();
  if (!any) rows_unknown();  // it is only told of active rows
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

// Where as many clusters are needed as there are components, nothing can be merged: learning needs no centroids then.
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
