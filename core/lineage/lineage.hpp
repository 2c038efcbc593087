// The lives of clusters: their ids, and the events that chance cannot explain.
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
  std::vector<std::int64_t> before;  // the ids that it happened to
  std::vector<std::int64_t> after;   // the ids that came of it; one that goes on comes first
  double support = 0.0;              // of what was born, split off, merged in, lost or revived
};

// Evidence at which a cluster counts as silent.
constexpr double kSilentEvidence = 16.0;

// A cluster that was confirmed, and has not ended.
struct LivingCluster {
  std::int64_t id = 0;  // never reused
  double support = 0.0;
  std::int64_t rows = 0;     // samples won
  std::int64_t settled = 0;  // samples won since it began, was quiet, or something split off
  // How often it wins: samples won of so many, both fading, so that the rate keeps up with the stream.
  double rate_won = 0.0;
  double rate_of = 0.0;
  std::int64_t last_won = 0;  // samples learned at the mapping that last found it winning
  double missed = 0.0;        // evidence that it has stopped winning
  double gained = 0.0;        // samples won beyond its rate, since it last won no more than that
  double lost = 0.0;          // samples that its rate promised and it did not win, likewise
  std::uint8_t ended = 0;     // it died, but some of its nodes are still there

  bool is_quiet() const { return missed >= kSilentEvidence && !ended; }
};

// What a mapping shows and the living clusters do not have.
struct Candidate {
  EventKind kind = EventKind::kBorn;  // kBorn for all that would be one more, kMerged
  std::int64_t first = 0;     // kBorn: the number that its nodes carry; kMerged: the lower id
  std::int64_t second = 0;    // kMerged: the higher id
  std::int64_t sample = 0;    // samples learned when it was first seen
  std::int64_t evidence = 0;  // samples won by the nodes concerned

  bool is_merge_of(std::int64_t lower, std::int64_t higher) const {
    return kind == EventKind::kMerged && first == lower && second == higher;
  }
};

// If learning ends with at most this many rows, its clusters are confirmed at once: no more evidence will come.
constexpr std::int64_t kFirstRows = 1000;

// The oldest events go when there are more of them, or of ids in them, than this.
constexpr std::size_t kMostEvents = 1024;
constexpr std::size_t kMostEventIds = 8192;

struct Lineage {
  std::int64_t n_ids = 0;             // ids given so far; the next one
  std::vector<LivingCluster> living;  // in ascending order of ids
  std::vector<Candidate> candidates;
  std::int64_t n_candidates = 0;  // numbers given to candidates so far
  std::int64_t sample = 0;        // samples learned at the last mapping
  std::deque<Event> events;       // confirmed ones, the oldest first
  std::int64_t n_dropped = 0;     // older events that went
  std::size_t n_event_ids = 0;    // in `events`

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

// Writes an event down.
void append(Lineage& lineage, Event event);

// Position of an id among living clusters, or kNone.
std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living);

// The same for many ids: a table, unless ids are too far apart for one. `living` must not change meanwhile.
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
