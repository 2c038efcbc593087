// The learner of PHIDA+ (spec section 12): fine nodes, and when they are mapped to clusters.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lineage/history.hpp"
#include "lineage/lineage.hpp"
#include "lineage/tracker.hpp"
#include "mapping/density_map.hpp"
#include "nodes/fine_learning.hpp"
#include "nodes/recent_margins.hpp"
#include "reading/examples.hpp"
#include "reading/reading.hpp"

namespace phida {

// Everything that the next row's effect depends on.
struct PlusState : FineState {
  explicit PlusState(std::size_t dims) : FineState(dims) {}

  std::int64_t n_seen = 0;  // rows learned
  std::int64_t n_created = 0;
  bool ended = false;  // the map at the end of learning was the last thing done

  // For readers: learning writes these and does not look at them.
  DensityMap map;              // the last one
  std::int64_t mapped_at = 0;  // rows learned before it
  double unplaced = 0.0;       // rows won in new places, the latest counting most
  Lineage lineage;
  History history;
  RecentMargins margins;
};

class PlusLearner {
 public:
  explicit PlusLearner(const FineSettings& settings);
  PlusLearner(const FineSettings& settings, PlusState state);

  const FineSettings& settings() const { return settings_; }
  const PlusState& state() const { return state_; }
  const FineStep& last_step() const { return step_; }

  // One row of `dims` finite values, and how many rows it counts for.
  void learn(const double* row, double rows = 1.0);

  // Takes in what models of the same settings have learned. Their clusters get ids of this model.
  void merge(std::span<const PlusState* const> others);

  // Maps the nodes now. Does nothing before the first row, or if it was the last thing done.
  void end_learning();

  // The nodes as they are, in the clusters of the last map. Needs at least one row. Kept until the next row.
  std::shared_ptr<const Reading> reading();

  // Labels, or lasting ids, of n rows of `dims` values: those of the reading, without making one.
  void labels(const double* rows, std::size_t n, std::int64_t* out);
  void ids(const double* rows, std::size_t n, std::int64_t* out);

  // Rows that each cluster has seen, as many as the settings say. Needs at least one row.
  Examples examples();

 private:
  void put(const double* row);
  bool is_due() const;
  void map_nodes(bool certain);
  void follow_clusters(bool certain);
  const std::vector<std::int32_t>& clusters();

  FineSettings settings_;
  PlusState state_;
  FineStep step_;

  // Derived from the state, or only memory to work in.
  FineLearning learning_;
  AlignedDoubles row_;
  Tracker tracker_;
  std::vector<std::int32_t> cluster_;       // per node; empty where nodes have joined since
  std::shared_ptr<const Reading> reading_;  // null where rows were learned since
};

}  // namespace phida
