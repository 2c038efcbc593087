// What a reader sees: the model as if learning had just ended. Never changes once made.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assignment/assignment_view.hpp"
#include "lineage/lineage.hpp"
#include "mapping/density_map.hpp"
#include "mapping/ph_view.hpp"
#include "metric/moments.hpp"
#include "nodes/node_state.hpp"

namespace phida {

struct Reading {
  NodeState nodes;
  PhView ph = {};           // of PHIDA
  DensityMap density = {};  // of PHIDA+
  NodeMap map = {};
  std::vector<std::int32_t> cluster = {};  // per node, or kNone
  AssignmentView view = {};

  // Confirmed clusters. Samples are assigned to them as to the others, by a view of their own.
  std::vector<std::int64_t> ids = {};        // ascending
  std::vector<std::int32_t> confirmed = {};  // per node, a position in `ids`, or kNone
  AssignmentView confirmed_view = {};
  std::vector<std::int64_t> cluster_id = {};  // per cluster, the confirmed one that it belongs to
  bool counted = true;                        // supports are whole numbers

  // What the nodes were learned with.
  Moments moments;
  double vigilance = 0.0;
  std::vector<double> margins;  // of the latest samples, in no order
  Lineage lineage;              // without its events
};

// Fills in, from the nodes and the map, which node is in which cluster, the clusters' ids, and the view.
void finish(Reading& reading);

// Every merge that the rule would make if it did not stop where the model does.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and leaves, cut elsewhere: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
