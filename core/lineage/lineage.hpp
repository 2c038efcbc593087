// The lives of clusters: ids, and events beyond chance.
//
// A mapping from nodes to clusters is an observation. It varies from one to the next if two clusters are nearly one. If
// a mapping has a cluster more than the lineage, or one less, this difference is a candidate for an event. Its evidence
// is the number of samples won by the nodes concerned while successive mappings show it. A mapping that does not show
// the candidate reduces its evidence. With enough evidence the candidate is confirmed and becomes an event. Ids change
// only when an event is confirmed.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "nodes/lineage_columns.hpp"

namespace phida {

enum class EventKind : std::uint8_t { kBorn, kSplit, kMerged, kDied, kRevived };

struct Event {
  EventKind kind = EventKind::kBorn;
  std::int64_t sample = 0;           // samples learned when it happened
  std::int64_t confirmed = 0;        // samples learned when it was confirmed
  std::vector<std::int64_t> before;  // the ids before it
  std::vector<std::int64_t> after;   // the ids after it; one that continues comes first
  double support = 0.0;              // support that was born, split off, merged, lost or revived
};

// Evidence from which a cluster counts as silent.
constexpr double kSilentEvidence = 16.0;

// A confirmed cluster that has not ended.
struct LivingCluster {
  std::int64_t id = 0;  // never reused
  double support = 0.0;
  std::int64_t rows = 0;     // samples won
  std::int64_t settled = 0;  // wins since it began, was quiet, or was split
  // Its rate of wins: wins per sample, with fading counts, so that the rate follows the stream.
  double rate_won = 0.0;
  double rate_of = 0.0;
  std::int64_t last_won = 0;  // samples learned at the last mapping in which it had won
  double missed = 0.0;        // evidence that it has stopped winning
  double gained = 0.0;        // wins above its rate, since they were last at or below it
  double lost = 0.0;          // wins below its rate, likewise
  std::uint8_t ended = 0;     // it died, but still has nodes

  bool is_quiet() const { return missed >= kSilentEvidence && !ended; }
};

// A difference between a mapping and the living clusters.
struct Candidate {
  EventKind kind = EventKind::kBorn;  // kBorn for any additional cluster, or kMerged
  std::int64_t first = 0;     // kBorn: the number stored at its nodes; kMerged: the lower id
  std::int64_t second = 0;    // kMerged: the higher id
  std::int64_t sample = 0;    // samples learned when it was first seen
  std::int64_t evidence = 0;  // samples won by the nodes concerned

  bool is_merge_of(std::int64_t lower, std::int64_t higher) const {
    return kind == EventKind::kMerged && first == lower && second == higher;
  }
};

// If learning ends with at most this many rows, its clusters are confirmed at once: no more evidence will come.
constexpr std::int64_t kFirstRows = 1000;

// Above these numbers of events, or of ids in them, the oldest events are dropped.
constexpr std::size_t kMostEvents = 1024;
constexpr std::size_t kMostEventIds = 8192;

struct Lineage {
  std::int64_t n_ids = 0;             // number of ids used; also the next id
  std::vector<LivingCluster> living;  // in ascending order of ids
  std::vector<Candidate> candidates;
  std::int64_t n_candidates = 0;  // numbers of candidates used
  std::int64_t sample = 0;        // samples learned at the last mapping
  std::deque<Event> events;       // confirmed, the oldest first
  std::int64_t n_dropped = 0;     // number of dropped events
  std::size_t n_event_ids = 0;    // ids in `events`

  Lineage without_events() const {
    Lineage copy;
    copy.n_ids = n_ids;
    copy.living = living;
    copy.candidates = candidates;
    copy.n_candidates = n_candidates;
    copy.sample = sample;
    return copy;
  }
};

// Appends an event.
void append(Lineage& lineage, Event event);

// Position of an id among living clusters, or kNone.
std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living);

// The same for many ids: a table, unless the ids are too far apart. `living` must not change meanwhile.
class LivingPositions {
 public:
  explicit LivingPositions(std::span<const LivingCluster> living);

  std::int32_t of(std::int64_t id) const {
    if (at_.empty()) return position_of(id, living_);
    const std::uint64_t place = static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
    return place < at_.size() ? at_[place] : kNone;
  }

 private:
  std::span<const LivingCluster> living_;
  std::int64_t first_ = 0;
  std::vector<std::int32_t> at_;  // per id from the first on
};

}  // namespace phida
