// An undirected graph whose edges have an age. Nodes are numbered in the order of their creation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida::systems {

// One end of an edge, stored with its node: the neighbour and the age.
struct Link {
  std::int32_t node = 0;
  std::int64_t age = 0;
};

struct Edge {
  std::int32_t a = 0;  // the smaller index
  std::int32_t b = 0;
  std::int64_t age = 0;
};

// The connected components, numbered by their lowest node.
struct Components {
  std::vector<std::int64_t> of_node;
  std::size_t count = 0;
};

class AgedGraph {
 public:
  std::size_t size() const { return links_.size(); }
  std::span<const Link> links(std::int32_t node) const { return links_[node]; }
  bool is_isolated(std::int32_t node) const { return links_[node].empty(); }
  bool has_edge(std::int32_t a, std::int32_t b) const;

  void add_node() { links_.emplace_back(); }

  // Sets the age of this edge; returns true if the edge is new.
  bool connect(std::int32_t a, std::int32_t b, std::int64_t age);
  void disconnect(std::int32_t a, std::int32_t b);

  // Removes the edges of a node whose age exceeds the limit; returns the other ends, in no special order.
  std::vector<std::int32_t> disconnect_older(std::int32_t node, double limit);

  // Increments the age of all edges of a node.
  void age_edges_of(std::int32_t node);

  // Keeps the nodes named in `kept` (ascending), in order, and the edges among them.
  void keep(std::span<const std::size_t> kept);

  Components components() const;

  // The ages of all edges in the component of a node, each edge once, in no special order.
  void collect_ages_around(std::int32_t node, std::vector<double>& ages);

  // The edges, ascending by (a, b).
  std::vector<Edge> edges() const;

 private:
  Link* find(std::int32_t from, std::int32_t to);

  std::vector<std::vector<Link>> links_;
  // Working memory.
  std::vector<std::int32_t> new_index_;
  std::vector<std::int32_t> reached_;
  std::vector<std::uint8_t> is_reached_;
};

}  // namespace phida::systems
