// The fields of every saved struct, listed once. Writing, reading, copying and the check of each number follow from
// these lists; agreement between fields is checked in `check_state`.
//
// An archive is a writer or a reader (`Archive::kReads`). It has
//   field(name, value, range)           one number or flag
//   column(name, vector, length, range) as many numbers; kAnyLength where the list does not say how many
//   rows(name, matrix, n, range)        a row matrix, with its width set
//   features(name, row, range)          a padded row, with its width set
//   samples(name, buffer, range)        a sample buffer, oldest first
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"
#include "state/limits.hpp"

namespace phida::state {

// The format version.
constexpr int kVersion = 5;

constexpr std::size_t kAnyLength = std::numeric_limits<std::size_t>::max();

// Stored type of a number: sizes as int64, enumerations as uint8.
template <class T>
using Stored =
    std::conditional_t<std::is_enum_v<T>, std::uint8_t,
                       std::conditional_t<std::is_same_v<T, std::size_t>, std::int64_t, T>>;

// One column of a sequence of records.
template <class Record, class T, class Limit>
struct Column {
  const char* name;
  T Record::* member;
  Range<Limit> range;
};
template <class Record, class T, class Limit>
Column(const char*, T Record::*, Range<Limit>) -> Column<Record, T, Limit>;

// A sequence of records, as columns of one length.
template <class Archive, class Sequence, class... Columns>
void records(Archive& archive, Sequence& sequence, std::size_t most, const Columns&... columns) {
  std::size_t length = Archive::kReads ? kAnyLength : sequence.size();
  const auto one = [&](const auto& column) {
    using T = Stored<std::remove_cvref_t<decltype(sequence[0].*column.member)>>;
    std::vector<T> values;
    if constexpr (!Archive::kReads)
      for (const auto& record : sequence) values.push_back(static_cast<T>(record.*column.member));
    archive.column(column.name, values, length, column.range);
    if constexpr (Archive::kReads) {
      require(values.size() <= most, column.name, "has too many entries");
      if (length == kAnyLength) sequence.resize(values.size());
      length = values.size();
      for (std::size_t i = 0; i < length; ++i)
        sequence[i].*column.member =
            static_cast<std::remove_cvref_t<decltype(sequence[i].*column.member)>>(values[i]);
    }
  };
  (one(columns), ...);
}

// An enumeration, or a size, as a number.
template <class Archive, class T>
void number(Archive& archive, const char* name, T& value, const Range<std::int64_t>& range) {
  auto stored = static_cast<std::int64_t>(value);
  archive.field(name, stored, range);
  if constexpr (Archive::kReads) value = static_cast<std::remove_const_t<T>>(stored);
}

constexpr std::int64_t kMostNodes = FineSettings::kMostNodes;

template <class Archive, class Settings>
void settings_fields(Archive& archive, Settings& s) {
  number(archive, "n_features", s.dims, {1, std::int64_t{1} << 40});
  archive.field("released", s.released, kAny);
  archive.field("ph", s.switches.ph, kAny);
  archive.field("refresh", s.switches.refresh, kAny);
  archive.field("remove", s.switches.remove, kAny);
  archive.field("prune", s.switches.prune, kAny);
  archive.field("mapping", s.switches.mapping, kAny);
}

template <class Archive, class Settings>
void plus_settings_fields(Archive& archive, Settings& s) {
  FineSettings::visit(s, [&](const char* name, auto& value, auto least, auto most) {
    if constexpr (std::is_floating_point_v<std::remove_cvref_t<decltype(value)>>)
      archive.field(name, value, Range<double>{least, most});
    else
      number(archive, name, value,
             {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)});
  });
}

template <class Archive, class Nodes>
void node_fields(Archive& archive, Nodes& nodes, std::int64_t n_seen) {
  const std::size_t known = Archive::kReads ? kAnyLength : nodes.size();
  archive.column("support", nodes.support, known, kSupports);
  const std::size_t n = nodes.size();
  archive.rows("representative", nodes.representative, n, kValues);
  archive.rows("mean", nodes.mean, n, kValues);
  archive.rows("m2", nodes.m2, n, kSquares);
  archive.column("scale", nodes.scale, n, kScales);
  archive.column("active", nodes.active, n, kAny);
  archive.column("birth", nodes.birth, n, Range<std::int64_t>{0, n_seen});
  archive.column("id", nodes.id, n, kCounts);
  archive.column("component", nodes.component, n, Range<std::int64_t>{kNone, INT32_MAX});
}

template <class Archive, class Moments>
void moment_fields(Archive& archive, const char* count, const char* mean, const char* m2,
                   Moments& moments) {
  archive.field(count, moments.count, Range<double>{0.0, 0x1p53});
  archive.features(mean, moments.mean, kValues);
  archive.features(m2, moments.m2, kSquares);
}

template <class Archive, class Vigilance, class Samples, class Count>
void vigilance_fields(Archive& archive, Vigilance& vigilance, Samples& samples,
                      Count& since_recalculation) {
  number(archive, "interval", vigilance.interval, {2, std::int64_t{1} << 40});
  archive.field("vigilance", vigilance.threshold, kShares);
  archive.field("ratio", vigilance.ratio, kShares);
  number(archive, "since_recalculation", since_recalculation, kCounts);
  archive.samples("samples", samples, kValues);
  auto kept = static_cast<std::int64_t>(samples.kept());
  archive.field("samples_kept", kept, kCounts);
  if constexpr (Archive::kReads) {
    // Checked before allocation. The vigilance uses no more samples than were learned.
    const std::size_t most = std::max<std::size_t>(samples.size(), 2);
    require(vigilance.interval <= most, "interval", "is longer than 'samples'");
    require(kept == 0 || static_cast<std::size_t>(kept) == 2 * vigilance.interval, "samples_kept",
            "must be 0 or twice 'interval'");
    require(kept == 0 || samples.size() <= static_cast<std::size_t>(kept), "samples",
            "has more rows than 'samples_kept'");
    if (kept != 0) samples.keep(static_cast<std::size_t>(kept));
  }
}

// Events: ids of both sides, those before first, event by event.
template <class Archive, class Lineage>
void event_fields(Archive& archive, Lineage& lineage) {
  auto& events = lineage.events;
  records(archive, events, kMostEvents,
          Column{"event_kind", &Event::kind,
                 Range<std::int64_t>{0, static_cast<std::int64_t>(EventKind::kRevived)}},
          Column{"event_sample", &Event::sample, kCounts},
          Column{"event_support", &Event::support, Range<double>{0.0, 0x1p60}},
          Column{"event_confirmed", &Event::confirmed, kCounts});
  std::vector<std::int64_t> n_before, n_after, ids;
  if constexpr (!Archive::kReads) {
    for (const Event& event : events) {
      n_before.push_back(static_cast<std::int64_t>(event.before.size()));
      n_after.push_back(static_cast<std::int64_t>(event.after.size()));
      ids.insert(ids.end(), event.before.begin(), event.before.end());
      ids.insert(ids.end(), event.after.begin(), event.after.end());
    }
  }
  const Range<std::int64_t> some{0, static_cast<std::int64_t>(kMostEventIds)};
  archive.column("event_n_before", n_before, events.size(), some);
  archive.column("event_n_after", n_after, events.size(), some);
  archive.column("event_ids", ids, Archive::kReads ? kAnyLength : ids.size(),
                 Range<std::int64_t>{0, lineage.n_ids - 1});
  archive.field("events_dropped", lineage.n_dropped, kCounts);
  if constexpr (Archive::kReads) {
    require(ids.size() <= kMostEventIds, "event_ids", "has too many entries");
    lineage.n_event_ids = ids.size();
    auto next = ids.begin();
    const auto take = [&](std::int64_t count) {
      require(count <= ids.end() - next, "event_ids", "has too few entries");
      next += count;
      return std::vector<std::int64_t>(next - count, next);
    };
    for (std::size_t e = 0; e < events.size(); ++e) {
      events[e].before = take(n_before[e]);
      events[e].after = take(n_after[e]);
    }
    require(next == ids.end(), "event_ids", "has too many entries");
  }
}

template <class Archive, class History>
void milestone_fields(Archive& archive, History& history) {
  records(archive, history.milestones, kMostMilestones,
          Column{"history_sample", &Milestone::sample, kCounts},
          Column{"history_n_nodes", &Milestone::n_nodes, kCounts},
          Column{"history_n_components", &Milestone::n_components, kCounts},
          Column{"history_n_clusters", &Milestone::n_clusters, kCounts},
          Column{"history_vigilance", &Milestone::vigilance, kShares},
          Column{"history_interval", &Milestone::interval, kCounts});
}

template <class Archive, class Lineage>
void candidate_fields(Archive& archive, Lineage& lineage) {
  records(archive, lineage.candidates, kAnyLength,
          Column{"candidate_kind", &Candidate::kind,
                 Range<std::int64_t>{0, static_cast<std::int64_t>(EventKind::kMerged)}},
          Column{"candidate_first", &Candidate::first, kCounts},
          Column{"candidate_second", &Candidate::second, kCounts},
          Column{"candidate_sample", &Candidate::sample, kCounts},
          Column{"candidate_evidence", &Candidate::evidence, kCounts});
}

// Wins of nodes and living clusters, and candidates.
template <class Archive, class Columns, class Lineage>
void tracking_fields(Archive& archive, std::span<const double> support, Columns& nodes,
                     Lineage& lineage) {
  const std::size_t n = support.size();
  constexpr Range<double> kWins{0.0, 0x1p53};
  archive.field("n_candidates", lineage.n_candidates, kCounts);
  archive.column("node_candidate", nodes.candidate, n,
                 Range<std::int64_t>{kNone, lineage.n_candidates - 1});
  archive.column("node_parent_id", nodes.parent_id, n,
                 Range<std::int64_t>{kNone, lineage.n_ids - 1});
  archive.column("node_won", nodes.won, n, kCounts);
  archive.column("node_won_mapped", nodes.won_mapped, n, kCounts);
  archive.column("node_recent", nodes.recent, n, kWins);
  archive.column("node_away", nodes.away, n, kCounts);
  records(archive, lineage.living, kAnyLength, Column{"living_rows", &LivingCluster::rows, kCounts},
          Column{"living_settled", &LivingCluster::settled, kCounts},
          Column{"living_rate_won", &LivingCluster::rate_won, kWins},
          Column{"living_rate_of", &LivingCluster::rate_of, kWins},
          Column{"living_last_won", &LivingCluster::last_won, kCounts},
          Column{"living_missed", &LivingCluster::missed, kWins},
          Column{"living_gained", &LivingCluster::gained, kWins},
          Column{"living_lost", &LivingCluster::lost, kWins},
          Column{"living_ended", &LivingCluster::ended, kAny});
  candidate_fields(archive, lineage);
}

// Names of clusters, their lineage, history and recent margins: for readers. `support` is that of the nodes.
template <class Archive, class State>
void lineage_fields(Archive& archive, std::span<const double> support, State& s) {
  auto& nodes = s.nodes.lineage;
  auto& lineage = s.lineage;
  const std::size_t n = support.size();
  archive.field("n_ids", lineage.n_ids, kCounts);
  const Range<std::int64_t> ids{kNone, lineage.n_ids - 1};
  archive.column("cluster_id", nodes.cluster_id, n, ids);
  records(archive, lineage.living, kAnyLength,
          Column{"living_id", &LivingCluster::id, Range<std::int64_t>{0, lineage.n_ids - 1}},
          Column{"living_support", &LivingCluster::support, Range<double>{0.0, 0x1p60}});
  tracking_fields(archive, support, nodes, lineage);
  event_fields(archive, lineage);
  milestone_fields(archive, s.history);
  archive.field("n_refreshes", s.history.n_refreshes, kCounts);
  archive.field("history_stride", s.history.stride, Range<std::int64_t>{1, kCounts.most});
  archive.column("margins", s.margins.values,
                 Archive::kReads ? kAnyLength : s.margins.values.size(), Range<double>{-1.0, 1.0});
  number(archive, "margins_next", s.margins.next, {0, kMostMargins - 1});
  archive.field("lineage_sample", lineage.sample, kCounts);
}

// All fields of PHIDA. A reader has already set the width of `s`.
template <class Archive, class Settings, class State>
void state_fields(Archive& archive, const Settings& settings, State& s) {
  archive.field("n_seen", s.n_seen, kCounts);
  archive.field("n_created", s.n_created, kCounts);
  vigilance_fields(archive, s.vigilance, s.samples, s.since_recalculation);
  number(archive, "since_refresh", s.since_refresh, kCounts);
  number(archive, "n_components", s.n_components, {0, INT32_MAX});
  number(archive, "n_clusters", s.n_clusters, {0, INT32_MAX});
  archive.field("has_map", s.has_map, kAny);
  archive.field("ended", s.ended, kAny);
  node_fields(archive, s.nodes, s.n_seen);
  moment_fields(archive, "stream_count", "stream_mean", "stream_m2", s.moments);
  archive.field("metric_present", s.metric.present, kAny);
  archive.field("metric_step", s.metric.at_step, kCounts);
  auto& transform = s.metric.transform;
  if (s.metric.present) {
    if (settings.released) archive.features("metric_center", transform.center, kValues);
    archive.features("metric_inverse", transform.inverse, kFactors);
    archive.field("metric_gamma", transform.gamma, kShares);
  }
  if (settings.released) {
    const std::size_t n = Archive::kReads ? kAnyLength : s.transformed.rows();
    archive.rows("transformed", s.transformed, n, Range<double>{-1e300, 1e300});
  }
  lineage_fields(archive, s.nodes.support, s);
}

// Sums over rows stay finite.
constexpr Range<double> kSums{0.0, std::numeric_limits<double>::max()};
constexpr Range<double> kWeights{0x1p-300, 0x1p300};
constexpr Range<double> kMeans{-kLargestValue * (1.0 + 1e-9),
                               kLargestValue * (1.0 + 1e-9)};  // rounded

template <class Archive, class Nodes>
void fine_node_fields(Archive& archive, Nodes& nodes, std::int64_t n_seen) {
  archive.column("weight", nodes.weight, Archive::kReads ? kAnyLength : nodes.size(), kWeights);
  const std::size_t n = nodes.size();
  archive.rows("mean", nodes.mean, n, kMeans);
  archive.rows("scatter", nodes.scatter, n, kSums);
  archive.column("credit", nodes.credit, n, kSums);
  archive.column("birth", nodes.birth, n, Range<std::int64_t>{0, n_seen});
  archive.column("id", nodes.id, n, kCounts);
  const std::size_t n_examples = Archive::kReads ? kAnyLength : nodes.example_row.size();
  archive.column("example_row", nodes.example_row, n_examples,
                 Range<std::int64_t>{kNone, kCounts.most});
  archive.rows("example", nodes.example, nodes.example_row.size(), kValues);
  archive.column("leaf", nodes.leaf, n, Range<std::int64_t>{0, kMostNodes});
  archive.column("gap", nodes.gap, n, kSums);
  archive.column("spacing", nodes.spacing, n, kSums);
}

// The last map. Its leaves are the nodes at that time.
template <class Archive, class Map>
void map_fields(Archive& archive, Map& s) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr Range<double> kHeights{-kInfinite, kInfinite};
  constexpr Range<std::int64_t> kLeaves{0, kMostNodes}, kLeavesOrNone{kNone, kMostNodes};
  auto& map = s.map;
  number(archive, "map_leaves", map.n_leaves, kLeaves);
  number(archive, "map_level", map.level, kLeaves);
  records(archive, map.merges, kMostNodes, Column{"merge_into", &Merge::into, kLeaves},
          Column{"merge_from", &Merge::from, kLeaves},
          Column{"merge_height", &Merge::height, kHeights});
  archive.column("merge_prominence", s.prominence, map.merges.size(), kHeights);
  archive.column("merge_chance", s.chance, map.merges.size(), kHeights);
  records(archive, s.link, kMostNodes, Column{"link_a", &Link::a, kLeaves},
          Column{"link_b", &Link::b, kLeaves});
  records(archive, s.peaks, kMostNodes, Column{"peak_leaf", &DensityPeak::node, kLeaves},
          Column{"peak_birth", &DensityPeak::birth, kHeights},
          Column{"peak_death", &DensityPeak::death, kHeights},
          Column{"peak_partner", &DensityPeak::partner, kLeavesOrNone},
          Column{"peak_chance", &DensityPeak::chance, kHeights},
          Column{"peak_scale", &DensityPeak::scale, kLeaves});
  archive.column("base", s.base, map.n_leaves, kLeaves);
  if constexpr (Archive::kReads) name_leaves(map);
}

// All fields of PHIDA+. A reader has already set the width of `s`.
template <class Archive, class State>
void plus_state_fields(Archive& archive, State& s) {
  archive.field("n_seen", s.n_seen, kCounts);
  archive.field("n_created", s.n_created, kCounts);
  archive.field("ended", s.ended, kAny);
  archive.field("mapped_at", s.mapped_at, kCounts);
  archive.field("unplaced", s.unplaced, Range<double>{0.0, 4096.0});
  archive.field("allowance", s.allowance, kSums);
  archive.field("unit", s.unit, kWeights);
  fine_node_fields(archive, s.nodes, s.n_seen);
  map_fields(archive, s.map);
  archive.field("compacted", s.compacted, kAny);
  archive.features("metric_inverse", s.metric.inverse,
                   Range<double>{1e-300, std::numeric_limits<double>::max()});
  archive.field("metric_gamma", s.metric.gamma, kShares);
  lineage_fields(archive, s.nodes.weight, s);
}

}  // namespace phida::state
