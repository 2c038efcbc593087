// What a reader sees: the model as if learning had just ended. Never changes once made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assignment/assignment_view.hpp"
#include "lineage/lineage.hpp"
#include "metric/moments.hpp"
#include "nodes/node_state.hpp"
#include "reading/map_nodes.hpp"

namespace phida {

struct Reading {
  NodeState nodes;
  PhView ph = {};
  FlowView flow = {};
  NodeMap map = {};
  std::vector<std::int32_t> cluster = {};  // per node, or kNone
  AssignmentView view = {};

  // Confirmed clusters. Samples are assigned to them as to the others, by a view of their own.
  std::vector<std::int64_t> ids = {};        // ascending
  std::vector<std::int32_t> confirmed = {};  // per node, a position in `ids`, or kNone
  AssignmentView confirmed_view = {};
  std::vector<std::int64_t> cluster_id = {};  // per cluster, the confirmed one that it belongs to
  std::int64_t unit = 1;  // what one sample counts in the pair statistics; 1 where no sample fades

  // What the nodes were learned with.
  Moments moments;
  double vigilance = 0.0;
  std::vector<double> margins;  // of the latest samples, in no order
  Lineage lineage;              // without its events

  // Supports are whole numbers: no sample has faded.
  bool counted() const { return unit == 1; }
};

// Fills in, from the nodes and `ph`, the map by a rule, which node is in which cluster, the clusters' ids, and the view.
// `quartiles` may know the last reading's: then they are found faster.
void finish(Reading& reading, Rule rule, ColumnQuartiles& quartiles);

// Every merge that the rule would make if it did not stop where the model does.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and leaves, cut elsewhere: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
