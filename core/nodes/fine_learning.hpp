// Learning of the fine nodes of PHIDA+ (spec section 12): match, learn, compact, fade, merge.
#pragma once

#include <cstdint>
#include <span>

#include "nodes/compaction.hpp"
#include "nodes/fine_nodes.hpp"
#include "nodes/nearest_node.hpp"

namespace phida {

// The parameters of PHIDA+.
struct FineSettings {
  static constexpr std::size_t kMostNodes = 1 << 16;

  std::size_t dims = 0;
  std::size_t max_nodes = 2048;  // B
  double half_life = 0.0;        // H, in rows; 0 disables fading
  Scale scale = Scale::kAuto;
  std::size_t examples = 0;  // rows shown per cluster; 0 keeps none

  bool operator==(const FineSettings&) const = default;

  // Every parameter once: its name for Python and in model files, its member, its least and its greatest value. The
  // constructor, saving, loading and the check of the ranges follow from this list.
  template <class Settings, class Visit>
  static void visit(Settings& s, Visit visit) {
    visit("n_features", s.dims, 1, std::int64_t{1} << 40);
    visit("max_nodes", s.max_nodes, 8, kMostNodes);
    visit("half_life", s.half_life, 0.0, 1e300);
    visit("scale", s.scale, Scale::kAuto, Scale::kNone);
    visit("keep_examples", s.examples, 0, 100);
  }
};

// The effect of a row. The winner may have been merged since.
struct FineStep {
  bool created = false;
  std::int32_t winner = kNone;  // its index at that time; kNone for the first row
  double square = 0.0;          // distance to it
  double winner_gap = 0.0;
  bool winner_placed = true;  // whether a mapping has placed it
  std::int64_t winner_birth = 0;
  std::int64_t winner_cluster = kNone;  // its confirmed cluster
  std::int64_t winner_parent = kNone;   // the confirmed cluster next to which it was created
};

class FineLearning {
 public:
  FineLearning(const FineSettings& settings, const FineState& state);

  // Most rows that may be queued.
  static constexpr std::size_t kMostQueued = NearestNode::kMostQueued;

  // Queues `n` rows of `dims` values, in place of those that are queued. The more are queued, the less time each takes.
  void queue(const double* rows, std::size_t n) { nearest_.queue(rows, n); }

  // Learns the next row of the queue with this weight; a node that it creates gets `step` and `id`.
  FineStep learn_next(double rows, std::int64_t step, std::int64_t id, FineState& state);

  // As long as every node is rows of one place, the metric follows the rows. After the first compaction this does
  // nothing.
  void fit_metric_to_rows(FineState& state);

  // Removes the next row of the queue. Returns its nearest node.
  Nearest next_nearest(const FineNodes& nodes);

  // Adds nodes of other models; the order of the models does not matter.
  void merge(std::span<const FineState* const> others, FineState& state);

 private:
  FineStep learn(const double* row, double rows, std::int64_t step, std::int64_t id,
                 FineState& state);
  void fade(FineState& state) const;
  void compact(FineState& state);

  FineSettings settings_;
  double growth_ = 1.0;  // growth of the unit per row
  NearestNode nearest_;
  Compaction compaction_;
};

// The unfaded nodes, or the heaviest (ties: the first) if all have faded. With a half-life of 0, all nodes.
std::vector<std::size_t> unfaded(double half_life, const FineState& state);

// Faded nodes still win rows, and are in the cluster of the nearest unfaded node. Far from it they are in a new
// place.
void place_faded(std::span<const std::size_t> kept, FineState& state);

}  // namespace phida
