// The lives of output clusters: their ids, and the events that tie one refresh's clusters to the next one's.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "lineage/succession.hpp"

namespace phida {

enum class EventKind : std::uint8_t { kBorn, kSplit, kMerged, kDied, kRevived };

struct Event {
  EventKind kind = EventKind::kBorn;
  std::int64_t sample = 0;           // samples learned when it happened
  std::vector<std::int64_t> before;  // the ids that it happened to
  std::vector<std::int64_t> after;   // the ids that came of it; one that goes on comes first
  double support = 0.0;              // of what was born, split off, merged in, lost or revived
};

// The oldest events go when there are more of them, or of ids in them, than this.
constexpr std::size_t kMostEvents = 1024;
constexpr std::size_t kMostEventIds = 8192;

// So many refreshes after its cluster was merged into another one, a node has forgotten that it was ever apart.
constexpr std::int32_t kRefreshesRemembered = 32;

struct Lineage {
  std::int64_t n_ids = 0;             // ids given so far; the next one
  std::vector<LivingCluster> living;  // of the last mapping, in ascending order of ids
  std::int64_t sample = 0;            // samples learned then
  std::deque<Event> events;           // the oldest first
  std::int64_t n_dropped = 0;         // older events that went
  std::size_t n_event_ids = 0;        // in `events`
};

// Goes over to a new mapping, of which `succession` tells what became of the living clusters: new clusters get ids,
// nodes learn theirs, and what happened is written down.
void commit(const Succession& succession, std::span<const std::int32_t> cluster,
            std::int64_t sample, NodeState& nodes, Lineage& lineage);

}  // namespace phida
