// What a reader sees: the nodes, and the clusters of the last map. Never changes once made.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "assignment/assign.hpp"
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
  std::vector<std::int64_t> cluster_id = {};  // per cluster, the lasting id of its rows
  bool counted = true;                        // supports are whole numbers

  // What the nodes were learned with.
  Moments moments;
  double vigilance = 0.0;
  std::vector<double> margins;  // of the latest samples when they were learned, in no order
  Lineage lineage;              // without its events
  bool nodes_are_rows = false;  // equal samples share a node, others do not

  // The margins of the latest samples among the nodes as they are. Only novelty needs them.
  struct Usual {
    std::once_flag made;
    std::vector<double> margins;
  };
  std::shared_ptr<Usual> usual = std::make_shared<Usual>();
};

// Fills in, from the nodes and the map, which node is in which cluster, the clusters' ids, and the view.
void finish(Reading& reading);

// Labels of n rows, or their lasting ids, in up to `threads` threads. False if `go_on` ended it early.
bool assign(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels);
bool assign_ids(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
                const GoOn& go_on, std::int64_t* ids);

// The nodes in the metric of the map.
RowMatrix places(const Reading& reading);

// Every merge that the rule would make if it did not stop where the model does.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and leaves, cut elsewhere: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
