// What a reader sees: the model as if learning had just ended. Never changes once made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assignment/assignment_view.hpp"
#include "lineage/succession.hpp"
#include "metric/moments.hpp"
#include "nodes/node_state.hpp"
#include "refresh.hpp"

namespace phida {

struct Reading {
  NodeState nodes;
  PhView ph = {};
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

// Fills in, from the nodes and `ph`, which node is in which cluster, the clusters' ids, and the view.
void finish(Reading& reading);

// Every merge that the rule of the hierarchy would make, if the least number of clusters did not stop it.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and components, with another cut of the hierarchy: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
