#include "state/check.hpp"

#include <algorithm>
#include <cmath>

#include "state/fields.hpp"

namespace phida::state {
namespace {

// Upper bound of a coordinate times its factor: its square must not overflow.
constexpr double kLargestScaled = 1e150;

void check_nodes(const LearnerState& s) {
  const NodeState& nodes = s.nodes;
  const std::size_t n = nodes.size();
  require((n == 0) == (s.n_seen == 0), "n_seen", "and the number of nodes must both be 0 or not");
  require(s.n_created <= s.n_seen, "n_created", "must not be above 'n_seen'");
  require(static_cast<std::int64_t>(n) <= s.n_created, "n_created",
          "must not be below the number of nodes");
  check_ascending("id", nodes.id);
  require(n == 0 || nodes.id.back() < s.n_created, "id", "must be below 'n_created'");
  for (std::size_t i = 1; i < n; ++i)
    require(nodes.birth[i - 1] <= nodes.birth[i], "birth", "must not descend");
  require(s.n_components <= n, "n_components", "must not be above the number of nodes");
  require(s.n_clusters <= s.n_components, "n_clusters", "must not be above 'n_components'");
  for (const std::int32_t c : nodes.component)
    require(c < static_cast<std::int32_t>(s.n_components), "component",
            "must be below 'n_components'");
}

void check_counts(const LearnerState& s) {
  const double n_seen = static_cast<double>(s.n_seen);
  require(s.moments.count == n_seen, "stream_count", "does not agree with 'n_seen'");
  double support = 0.0;
  for (const double m : s.nodes.support) {
    support += m;
    require(m == std::floor(m), "support", "must be whole numbers");
  }
  // A sample counts for its winner and its runner-up.
  require(support <= 2.0 * n_seen, "support", "is more than 'n_seen' samples can give");
  require(s.since_recalculation <= static_cast<std::size_t>(s.n_seen), "since_recalculation",
          "must not be above 'n_seen'");
  require(s.since_refresh <= static_cast<std::size_t>(s.n_seen), "since_refresh",
          "must not be above 'n_seen'");
  require(s.samples.size() <= static_cast<std::size_t>(s.n_seen), "samples",
          "must not have more rows than 'n_seen'");
  require(s.metric.at_step <= s.n_seen, "metric_step", "must not be above 'n_seen'");
}

void check_metric(const Settings& settings, const LearnerState& s) {
  if (!s.metric.present) return;  // the next sample renews it together with 'transformed'
  require(s.transformed.rows() == 0 || s.transformed.rows() == s.nodes.size(), "transformed",
          "must have a row for each node, or none");
  if (!settings.released) return;  // otherwise distances use differences of raw values
  const FeatureTransform& transform = s.metric.transform;
  const auto fits = [&](const double* row) {
    for (std::size_t j = 0; j < settings.dims; ++j)
      if (!(std::abs(row[j]) * transform.inverse[j] <= kLargestScaled)) return false;
    return true;
  };
  for (std::size_t i = 0; i < s.nodes.size(); ++i)
    require(fits(s.nodes.representative[i]), "metric_inverse", "is too large for the nodes");
  for (std::size_t age = 0; age < s.samples.size(); ++age)
    require(fits(s.samples.recent(age)), "metric_inverse", "is too large for 'samples'");
}

template <class State>
void check_lineage(const State& s) {
  const LineageColumns& nodes = s.nodes.lineage;
  const std::vector<LivingCluster>& living = s.lineage.living;
  require(s.lineage.sample <= s.n_seen, "lineage_sample", "must not be above 'n_seen'");
  for (std::size_t k = 1; k < living.size(); ++k)
    require(living[k - 1].id < living[k].id, "living_id", "must be in ascending order");
  for (const std::int64_t id : nodes.cluster_id)
    require(id == kNone || position_of(id, living) != kNone, "cluster_id",
            "names a cluster that is not in 'living_id'");
  for (const Candidate& candidate : s.lineage.candidates) {
    const bool merge = candidate.kind == EventKind::kMerged;
    require(merge || candidate.kind == EventKind::kBorn, "candidate_kind", "must be 0 or 2");
    require(candidate.first < (merge ? s.lineage.n_ids : s.lineage.n_candidates), "candidate_first",
            "is not known");
    require(!merge || (candidate.first < candidate.second && candidate.second < s.lineage.n_ids),
            "candidate_second", "must be above 'candidate_first', and known");
    require(candidate.sample <= s.n_seen, "candidate_sample", "must not be above 'n_seen'");
  }
  for (std::size_t i = 0; i < nodes.size(); ++i)
    require(nodes.won_mapped[i] <= nodes.won[i], "node_won_mapped", "must not be above 'node_won'");
  for (const LivingCluster& cluster : living)
    require(cluster.last_won <= s.n_seen, "living_last_won", "must not be above 'n_seen'");
  const RecentMargins& margins = s.margins;
  require(margins.values.size() <= kMostMargins, "margins", "has too many entries");
  require(margins.values.size() == kMostMargins || margins.next == margins.values.size(),
          "margins_next", "must be the number of 'margins'");
  for (const Event& event : s.lineage.events)
    require(event.sample <= event.confirmed && event.confirmed <= s.n_seen, "event_confirmed",
            "must be from 'event_sample' to 'n_seen'");
  const History& history = s.history;
  require(static_cast<std::int64_t>(history.milestones.size()) <=
              (history.n_refreshes + history.stride - 1) / history.stride,
          "history_stride", "does not agree with 'n_refreshes'");
  for (const Milestone& milestone : s.history.milestones)
    require(milestone.sample <= s.n_seen, "history_sample", "must not be above 'n_seen'");
}

void check_map(const FineSettings& settings, const PlusState& s) {
  const NodeMap& map = s.map.map;
  const auto n = static_cast<std::int32_t>(map.n_leaves);
  require((n == 0) == (s.n_seen == 0), "map_leaves", "and 'n_seen' must both be 0 or not");
  require(map.n_leaves < settings.max_nodes, "map_leaves", "must be below 'max_nodes'");
  for (const std::int32_t leaf : s.nodes.leaf)
    require(leaf < n, "leaf", "must be below 'map_leaves'");
  require(map.level <= map.merges.size(), "map_level", "must not be above the number of merges");
  require(s.map.link.size() == map.merges.size(), "link_a", "must have an entry for each merge");
  std::vector<std::uint8_t> joined(map.n_leaves, 0);
  for (const Merge& merge : map.merges) {
    require(merge.into < merge.from && merge.from < n, "merge_from",
            "must be above 'merge_into' and below 'map_leaves'");
    require(!joined[merge.from] && !joined[merge.into], "merge_into", "names what has been merged");
    joined[merge.from] = 1;
  }
  for (const Link& link : s.map.link)
    require(link.a < n && link.b < n, "link_b", "must be below 'map_leaves'");
  for (const DensityPeak& peak : s.map.peaks)
    require(peak.node < n && peak.partner < n, "peak_leaf", "must be below 'map_leaves'");
  for (const std::int32_t leaf : s.map.base)
    require(leaf < n, "base", "must be below 'map_leaves'");
}

// Checks each number with the range in its list.
class RangeChecker {
 public:
  static constexpr bool kReads = false;

  template <class T, class Limit>
  void field(const char* name, const T& value, const Range<Limit>& range) const {
    check_number(name, value, range);
  }
  template <class Values, class Limit>
  void column(const char* name, const Values& values, std::size_t length,
              const Range<Limit>& range) const {
    require(values.size() == length, name, "has the wrong length");
    check_numbers(name, values, range);
  }
  void rows(const char* name, const RowMatrix& matrix, std::size_t n,
            const Range<double>& range) const {
    require(matrix.rows() == n, name, "has the wrong length");
    check_numbers(name, matrix, range);
  }
  void features(const char* name, const AlignedDoubles& row, const Range<double>& range) const {
    for (const double x : row)
      if (x != 0.0) check_number(name, x, range);  // rows are padded with zeros
  }
  void samples(const char* name, const SampleBuffer& buffer, const Range<double>& range) const {
    check_numbers(name, buffer, range);
  }
};

}  // namespace

void check_invariants(const Settings& settings, const LearnerState& state) {
  const RangeChecker checker;
  settings_fields(checker, settings);
  state_fields(checker, settings, state);
  check_state(settings, state);
}

void check_invariants(const FineSettings& settings, const PlusState& state) {
  const RangeChecker checker;
  check_settings(settings);
  plus_state_fields(checker, state);
  check_state(settings, state);
}

void check_settings(const FineSettings& settings) {
  const RangeChecker checker;
  plus_settings_fields(checker, settings);
  require(settings.half_life == 0.0 || settings.half_life >= 1.0, "half_life",
          "must be 0, or 1 or more");
}

void check_state(const Settings& settings, const LearnerState& state) {
  check_nodes(state);
  check_counts(state);
  check_metric(settings, state);
  check_lineage(state);
}

void check_state(const FineSettings& settings, const PlusState& s) {
  const FineNodes& nodes = s.nodes;
  const std::size_t n = nodes.size();
  require((n == 0) == (s.n_seen == 0), "n_seen", "and the number of nodes must both be 0 or not");
  require(n < settings.max_nodes, "max_nodes", "must be above the number of nodes");
  require(s.n_created <= s.n_seen, "n_created", "must not be above 'n_seen'");
  require(static_cast<std::int64_t>(n) <= s.n_created, "n_created",
          "must not be below the number of nodes");
  check_ascending("id", nodes.id);
  require(n == 0 || nodes.id.back() < s.n_created, "id", "must be below 'n_created'");
  require(nodes.example_row.size() == (settings.examples > 0 ? n : 0), "example_row",
          "must have an entry for each node, or none without 'keep_examples'");
  require(s.unit == 1.0 || settings.half_life > 0.0, "unit", "must be 1 without 'half_life'");
  require(s.mapped_at <= s.n_seen, "mapped_at", "must not be above 'n_seen'");
  check_map(settings, s);
  check_lineage(s);
}

}  // namespace phida::state
