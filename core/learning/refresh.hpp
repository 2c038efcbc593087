// The refresh cycle in the paper's order (spec section 6): remove nodes, choose the PH input, then topology ->
// mapping. Only this file and the learner use both nodes and topology.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/ph_view.hpp"
#include "metric/moments.hpp"
#include "metric/tracked_scaling.hpp"
#include "nodes/node_state.hpp"
#include "numeric/blocked_rows.hpp"

namespace phida {

// The paper's ablations; with all switches on, this is PHIDA.
struct Switches {
  bool ph = true;       // off (noPH): every input node is its own component, and the gate is open
  bool refresh = true;  // off (noRefresh): only the refresh at the end of learning
  bool remove = true;   // off (noDelete): no node is removed
  bool prune = true;    // off (noPrune): isolated nodes stay in the PH input
  bool mapping = true;  // off (IDA): no refresh at all
};

class Refresher {
 public:
  // Runs the full cycle. Removes nodes and renews component ids; true if any node was removed. Without `records`,
  // computes only what learning needs.
  bool refresh(NodeState& nodes, const Moments& moments, std::size_t interval,
               const Switches& switches, bool records);

  // Computes topology and mapping of the current nodes, with every record.
  void describe(NodeState& nodes, const Moments& moments, const Switches& switches);

  // Result of the last of these calls.
  const PhView& view() const { return view_; }

  // Every change to the row of an active node between refreshes must be reported here. rows_unknown() is for changes
  // that were not reported one by one.
  void active_row_moved(const double* before, const double* after) {
    scaling_.row_moved(before, after);
  }
  void row_activated(const double* row) { scaling_.row_inserted(row); }
  void rows_unknown() { scaling_.all_changed(); }
  bool watches_rows() const { return scaling_.watches_rows(); }

 private:
  void name_components(NodeState& nodes) const;
  bool remove_low_support(NodeState& nodes, const Moments& moments, std::size_t interval);
  bool remove_isolated(NodeState& nodes, const Moments& moments);
  bool remove_others(NodeState& nodes, const Moments& moments);
  void pass_on_wins(NodeState& nodes, const Moments& moments);
  void find_input(const NodeState& nodes, const Moments& moments, const Switches& switches);
  void find_components(const Switches& switches);
  void map_components(const NodeState& nodes, bool records);

  PhView view_;
  TrackedScaling scaling_;
  FeatureTransform transform_;
  KnnGraphBuilder graph_builder_;
  H0Persistence h0_;
  HierarchyBuilder hierarchy_builder_;
  std::vector<double> scratch_;
  std::vector<std::size_t> kept_;
  std::vector<std::uint32_t> high_members_;
  std::vector<std::uint8_t> removed_;
  BlockedRows kept_rows_;
  AlignedDoubles inverse_, squares_;
};

}  // namespace phida
