// An immutable snapshot for readers: the nodes, and the clusters of the last map.
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

// State of a learner at one moment.
struct Learned {
  NodeState nodes;
  PhView ph = {};           // PHIDA only
  DensityMap density = {};  // PHIDA+ only
  NodeMap map = {};
  bool counted = true;  // supports are whole numbers

  // The moments that the nodes were learned with.
  Moments moments;
  double vigilance = 0.0;
  std::vector<double> margins;  // margins of the latest samples when they were learned, in no order
  Lineage lineage;              // without events
  bool nodes_are_rows = false;  // each sample is a node, equal ones share it
};

// A state of a learner with the results that readers derive from it.
struct Reading : Learned {
  explicit Reading(Learned learned);

  std::vector<std::int32_t> cluster;  // per node, or kNone
  AssignmentView view;
  std::vector<std::int64_t> cluster_id;  // lasting id of each cluster

  // Margins of the latest samples among the current nodes, computed when novelty needs them.
  struct Usual {
    std::once_flag made;
    std::vector<double> margins;
  };
  std::unique_ptr<Usual> usual = std::make_unique<Usual>();
};

// Labels of n rows, or their lasting ids, in up to `threads` threads. Returns false if `go_on` stopped it.
bool assign(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels);
bool assign_ids(const Reading& reading, const double* rows, std::size_t n, std::size_t threads,
                const GoOn& go_on, std::int64_t* ids);

// The nodes in the metric of the map.
RowMatrix places(const Reading& reading);

// Every merge of the rule beyond the model's own stop.
std::vector<Merge> all_merges(const Reading& reading);

// The same nodes and leaves with another cut: after the first `level` of all merges.
std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level);

}  // namespace phida
