#include "systems/aged_graph.hpp"

#include <algorithm>
#include <cassert>

#include "numeric/disjoint_sets.hpp"

namespace phida::systems {

Link* AgedGraph::find(std::int32_t from, std::int32_t to) {
  for (Link& link : links_[from])
    if (link.node == to) return &link;
  return nullptr;
}

bool AgedGraph::has_edge(std::int32_t a, std::int32_t b) const {
  return std::ranges::any_of(links_[a], [b](const Link& link) { return link.node == b; });
}

bool AgedGraph::connect(std::int32_t a, std::int32_t b, std::int64_t age) {
  assert(a != b);
  if (Link* link = find(a, b)) {
    link->age = find(b, a)->age = age;
    return false;
  }
  links_[a].push_back({b, age});
  links_[b].push_back({a, age});
  return true;
}

void AgedGraph::disconnect(std::int32_t a, std::int32_t b) {
  std::erase_if(links_[a], [b](const Link& link) { return link.node == b; });
  std::erase_if(links_[b], [a](const Link& link) { return link.node == a; });
}

std::vector<std::int32_t> AgedGraph::disconnect_older(std::int32_t node, double limit) {
  std::vector<std::int32_t> cut;
  for (const Link& link : links_[node])
    if (static_cast<double>(link.age) > limit) cut.push_back(link.node);
  for (const std::int32_t other : cut) disconnect(node, other);
  return cut;
}

void AgedGraph::age_edges_of(std::int32_t node) {
  for (Link& link : links_[node]) find(link.node, node)->age = ++link.age;
}

void AgedGraph::keep(std::span<const std::size_t> kept) {
  constexpr std::int32_t kGone = -1;
  new_index_.assign(size(), kGone);
  for (std::size_t to = 0; to < kept.size(); ++to) {
    new_index_[kept[to]] = static_cast<std::int32_t>(to);
    if (kept[to] != to) links_[to].swap(links_[kept[to]]);
  }
  links_.resize(kept.size());
  for (std::vector<Link>& links : links_) {
    for (Link& link : links) link.node = new_index_[link.node];
    std::erase_if(links, [](const Link& link) { return link.node == kGone; });
  }
}

Components AgedGraph::components() const {
  DisjointSets sets;
  sets.reset(size());
  for (const Edge& edge : edges()) {
    const std::int32_t a = sets.root(edge.a), b = sets.root(edge.b);
    if (a != b) sets.hang(std::max(a, b), std::min(a, b));  // the lowest node stays the root
  }
  Components components;
  components.of_node.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    const std::int32_t root = sets.root(node);
    components.of_node[i] = root == node ? static_cast<std::int64_t>(components.count++)
                                         : components.of_node[static_cast<std::size_t>(root)];
  }
  return components;
}

void AgedGraph::collect_ages_around(std::int32_t node, std::vector<double>& ages) {
  ages.clear();
  is_reached_.assign(size(), 0);
  reached_.assign(1, node);
  is_reached_[node] = 1;
  for (std::size_t next = 0; next < reached_.size(); ++next) {
    const std::int32_t from = reached_[next];
    for (const Link& link : links_[from]) {
      if (from < link.node) ages.push_back(static_cast<double>(link.age));
      if (is_reached_[link.node]) continue;
      is_reached_[link.node] = 1;
      reached_.push_back(link.node);
    }
  }
}

std::vector<Edge> AgedGraph::edges() const {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    const auto first = static_cast<std::ptrdiff_t>(edges.size());
    for (const Link& link : links_[i])
      if (node < link.node) edges.push_back({node, link.node, link.age});
    std::ranges::sort(edges.begin() + first, edges.end(), {}, &Edge::b);
  }
  return edges;
}

}  // namespace phida::systems
