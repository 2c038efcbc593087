// What a reader sees: the model as if learning had just ended. Never changes once made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assignment/assignment_view.hpp"
#include "lineage/succession.hpp"
#include "metric/moments.hpp"
#include "reading/map_nodes.hpp"
#include "nodes/node_state.hpp"

namespace phida {

struct Reading {
  NodeState nodes;
  PhView ph = {};
  NodeMap map = {};
  std::vector<std::int32_t> cluster = {};     // per node, or kNone
  std::vector<std::int64_t> cluster_id = {};  // per cluster
  AssignmentView view = {};
  bool counted = true;  // supports are whole numbers: no sample has faded

  // What the nodes were learned with.
  Moments moments;
  double vigilance = 0.0;
  std::vector<double> margins;        // of the latest samples, in no order
  std::vector<LivingCluster> living;  // of the last refresh
  std::int64_t n_ids = 0;             // given so far
};

// Fills in, from the nodes and `ph`, the map by the rule that is wanted, which node is in which cluster, the clusters' ids, and the view.
// `quartiles` may know the last reading's: then they are found faster.
void finish(Reading& reading, Mapping wanted, ColumnQuartiles& quartiles);

// Every merge that the rule would make if it did not stop where the model does.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and groups, cut elsewhere: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
