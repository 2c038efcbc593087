// The online update of one sample (spec section 3): owns all state and calls the layers in order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "learning/refresh.hpp"
#include "lineage/history.hpp"
#include "lineage/lineage.hpp"
#include "lineage/tracker.hpp"
#include "metric/feature_transform.hpp"
#include "metric/moments.hpp"
#include "metric/tracked_scaling.hpp"
#include "nodes/matching.hpp"
#include "nodes/node_state.hpp"
#include "nodes/recent_margins.hpp"
#include "nodes/sample_buffer.hpp"
#include "nodes/vigilance.hpp"
#include "reading/reading.hpp"

namespace phida {

// The metric of matching, and the time of its computation.
struct TrainMetric {
  FeatureTransform transform;
  bool present = false;
  std::int64_t at_step = 0;
};

// Settings of the learner, fixed for its lifetime.
struct Settings {
  std::size_t dims = 0;
  // Rows keep the metric in which they were last written, as in the released code.
  bool released = false;
  Switches switches;
};

// All state that influences the next sample.
struct LearnerState {
  explicit LearnerState(std::size_t dims)
      : nodes(dims), moments(dims), samples(dims), transformed(dims) {}

  NodeState nodes;
  Moments moments;       // G
  SampleBuffer samples;  // B
  Vigilance vigilance;
  TrainMetric metric;
  // Representatives in the metric of their last write; only if `released`. Empty if that is the training metric for
  // all.
  RowMatrix transformed;
  std::int64_t n_seen = 0;  // samples learned
  std::int64_t n_created = 0;
  std::size_t since_recalculation = 0;
  std::size_t since_refresh = 0;
  std::size_t n_components = 0;  // components of the last refresh
  std::size_t n_clusters = 0;
  bool has_map = false;  // whether there was a refresh
  bool ended = false;    // whether nothing was learned since the end-of-learning refresh

  // For readers: written by learning, but not used by it.
  Lineage lineage;
  History history;
  RecentMargins margins;
};

// The effect of the last sample.
struct Step {
  bool created = false;
  bool matched = false;  // there were enough nodes to match; the fields below are set
  std::int32_t winner = kNone;
  std::int32_t runner_up = kNone;
  std::int64_t winner_birth = 0;        // step of its creation
  std::int64_t winner_cluster = kNone;  // its confirmed cluster
  std::int64_t winner_parent = kNone;   // the confirmed cluster next to which it was created
  double winner_similarity = 0.0;
  double runner_up_similarity = 0.0;
  double gamma = 0.0;  // gamma of the metric used for matching
  bool runner_up_updated = false;
  bool refreshed = false;
};

class Learner {
 public:
  explicit Learner(const Settings& settings);
  Learner(const Settings& settings, LearnerState state);

  const Settings& settings() const { return settings_; }
  const LearnerState& state() const { return state_; }
  const Step& last_step() const { return step_; }

  // Learns one sample of `dims` finite values.
  void learn(const double* sample);

  // Ends a stage of learning with a refresh, independent of the counters. Does nothing before the first sample, or if
  // nothing was learned since the last end.
  void end_learning();

  // The model as after the end of learning, without affecting learning. Needs at least one sample, and the mapping
  // switched on. Cached until the next sample.
  std::shared_ptr<const Reading> reading();

 private:
  void create(const double* sample);
  void match_and_learn(const double* sample);
  Match match(const double* sample);
  void update(std::int32_t node, const double* sample, double gain);
  void mark_active(std::int32_t node);
  bool gated() const;
  bool compatible(std::int32_t winner, std::int32_t runner_up) const;
  void bring_metric_up_to_date();
  bool may_defer() const;
  void renew_rows();
  void transform_rows();
  void transform_row(const double* row, double* out) const;
  void recalculate_vigilance();
  double cluster_ratio() const;
  double cluster_count() const;
  void refresh(std::int64_t learned, bool ending);
  void record_refresh(std::int64_t learned, bool ending);
  void nodes_left();

  Settings settings_;
  LearnerState state_;
  Step step_;

  // Derived from the state, or working memory.
  Matcher matcher_;
  bool matches_raw_;  // it holds the representatives themselves, not `transformed`
  SimilarityWindow window_;
  Refresher refresher_;
  Refresher
      reader_;  // works on copies, so that readings do not disturb the caches of the other one
  AlignedDoubles query_;
  std::vector<std::int32_t> all_;
  TrackedScaling scaling_;
  AlignedDoubles row_before_;
  NodeMap map_;
  std::vector<std::int32_t> cluster_;
  Tracker tracker_;
  std::shared_ptr<const Reading> reading_;  // null if rows were learned since
};

}  // namespace phida
