// Room for a new node where the number of nodes is limited (spec section 12). Not in the paper.
//
// Close nodes of little support become one: the price of a pair is its squared distance times the root of the smaller
// support. Making room for several nodes at a time costs less than searching all pairs for each, and it clusters better:
// nodes that have just come are not the first to go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "nodes/node_state.hpp"
#include "numeric/blocked_rows.hpp"

namespace phida {

// Node `into` takes over what node `gone` has learned, as if it had learned it. It keeps its scale, birth, id and
// component; it becomes active if the other was. The other is left as it is.
void absorb_node(NodeState& nodes, std::size_t into, std::size_t gone);

class NodeBudget {
 public:
  // Merges the cheapest disjoint pairs of a node and its best partner, as many as a sixteenth of the nodes and at least
  // one. Of equal prices, the pair of the node with the lower index goes first, and to the partner with the lower index.
  // In each pair the node of less support (ties: the newer) goes. Needs two nodes; `scaling` is that of the metric that
  // distances are taken in, or null.
  void make_room(NodeState& nodes, const double* scaling);

 private:
  void find_partners(const NodeState& nodes, const double* scaling);

  BlockedRows blocks_;
  AlignedDoubles squares_;
  std::vector<double> root_;          // per node: of its support
  std::vector<double> price_;         // per node: of merging it with its partner
  std::vector<std::size_t> partner_;  // per node: with whom merging is cheapest
  std::vector<std::size_t> order_;    // nodes by price
  std::vector<std::uint8_t> merged_;  // per node: kApart, kMerged or kGone
  std::vector<std::size_t> kept_;
};

}  // namespace phida
