// The learner of PHIDA+ (spec section 12): fine nodes, and the times of their mapping to clusters.
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

// All state that influences the next row.
struct PlusState : FineState {
  explicit PlusState(std::size_t dims) : FineState(dims) {}

  std::int64_t n_seen = 0;  // rows learned
  std::int64_t n_created = 0;
  bool ended = false;  // whether nothing was learned since the map at the end of learning

  // For readers: written by learning, but not used by it.
  DensityMap map;              // the last one
  std::int64_t mapped_at = 0;  // rows learned before it
  double unplaced = 0.0;       // rows won in new places, with fading counts
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

  // Learns one row of `dims` finite values, which counts as `rows` rows. If clusters are not followed, nodes are not mapped
  // before `end_learning`: until then, readers see one cluster. What is learned is the same.
  void learn(const double* row, double rows = 1.0, bool follow = true) {
    learn_many(row, 1, &rows, follow);
  }

  // Learns `n` contiguous rows in order, faster than `n` calls of `learn`. `counts` says how many rows each counts as;
  // null: 1.
  void learn_many(const double* rows, std::size_t n, const double* counts = nullptr,
                  bool follow = true);

  // Rows that are compared with the nodes together.
  static constexpr std::size_t kTogether = FineLearning::kMostQueued;

  // Adds the nodes of models with the same settings. Their clusters get ids of this model, if they are followed. Their
  // examples keep the numbers of their rows only if all models learned parts of one stream.
  void merge(std::span<const PlusState* const> others, bool follow = true, bool one_stream = false);

  // Numbers the rows of the examples by the stream whose blocks of rows were dealt to `n_parts` models, of which this is
  // number `part`.
  void number_examples(std::int64_t part, std::int64_t n_parts, std::int64_t block);

  // Maps the nodes now. Does nothing before the first row, or if nothing was learned since the last map here.
  void end_learning();

  // The current nodes, in the clusters of the last map. Needs at least one row. Cached until the next row.
  std::shared_ptr<const Reading> reading();

  // Labels, or lasting ids, of n rows of `dims` values: those of the reading, without creating one.
  void labels(const double* rows, std::size_t n, std::int64_t* out);
  void ids(const double* rows, std::size_t n, std::int64_t* out);

  // Example rows of each cluster, as many as the settings allow. Needs at least one row.
  Examples examples();

 private:
  void learn_next(double rows, bool follow);
  bool is_due() const;
  void map_nodes(bool certain);
  void map_as_one();
  void follow_clusters(bool certain);
  const std::vector<std::int32_t>& clusters();

  FineSettings settings_;
  PlusState state_;
  FineStep step_;

  // Derived from the state, or working memory.
  FineLearning learning_;
  Tracker tracker_;
  std::vector<std::int32_t> cluster_;       // per node; empty if nodes were added since
  std::shared_ptr<const Reading> reading_;  // null if rows were learned since
};

}  // namespace phida
