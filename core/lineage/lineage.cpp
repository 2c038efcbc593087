#include "lineage/lineage.hpp"

#include <algorithm>

namespace phida {
namespace {

void append(Lineage& lineage, Event event) {
  const auto ids_in = [](const Event& e) { return e.before.size() + e.after.size(); };
  lineage.n_event_ids += ids_in(event);
  lineage.events.push_back(std::move(event));
  while (lineage.events.size() > kMostEvents || lineage.n_event_ids > kMostEventIds) {
    lineage.n_event_ids -= ids_in(lineage.events.front());
    lineage.events.pop_front();
    ++lineage.n_dropped;
  }
}

// The event of this kind about a cluster that goes on; begun if there is none yet.
Event& about(std::int64_t id, EventKind kind, std::int64_t sample, std::vector<Event>& events) {
  for (Event& event : events)
    if (event.before[0] == id) return event;
  return events.emplace_back(Event{kind, sample, {id}, {id}, 0.0});
}

// Living clusters that do not go on: they died, or most of them is in a cluster that has another id.
void write_ends(const Succession& s, const std::vector<std::int64_t>& id, std::int64_t sample,
                Lineage& lineage) {
  std::vector<Event> merged;
  for (std::size_t k = 0; k < lineage.living.size(); ++k) {
    if (s.goes_on[k]) continue;
    const LivingCluster& ended = lineage.living[k];
    if (s.successor[k] == kNone) {
      append(lineage, {EventKind::kDied, sample, {ended.id}, {}, ended.support});
      continue;
    }
    Event& event = about(id[s.successor[k]], EventKind::kMerged, sample, merged);
    event.before.push_back(ended.id);
    event.support += s.in_successor[k];
  }
  for (Event& event : merged) append(lineage, std::move(event));
}

// New clusters that carry on none of the living: they came out of one, they are back, or they are new.
void write_beginnings(const Succession& s, const std::vector<std::int64_t>& id, std::int64_t sample,
                      Lineage& lineage) {
  std::vector<Event> split, others;
  for (std::size_t c = 0; c < id.size(); ++c) {
    if (s.carries[c]) continue;
    const bool from_one = s.parent[c] != kNone;
    if (s.id[c] != kNone) {
      Event event{EventKind::kRevived, sample, {}, {id[c]}, s.support[c]};
      if (from_one) event.before.push_back(s.parent[c]);
      others.push_back(std::move(event));
    } else if (from_one) {
      Event& event = about(s.parent[c], EventKind::kSplit, sample, split);
      event.after.push_back(id[c]);
      event.support += s.from_parent[c];
    } else {
      others.push_back({EventKind::kBorn, sample, {}, {id[c]}, s.support[c]});
    }
  }
  for (Event& event : split) append(lineage, std::move(event));
  for (Event& event : others) append(lineage, std::move(event));
}

// A node's origin is the cluster that it is in, unless that was merged with its origin not long ago.
void update_origin(std::int64_t now, std::span<const LivingCluster> living, std::int64_t& origin,
                   std::int32_t& refreshes_merged) {
  const bool ended = origin != kNone && origin != now && position_of(origin, living) == kNone;
  refreshes_merged = ended ? refreshes_merged + 1 : 0;
  if (refreshes_merged > kRefreshesRemembered) refreshes_merged = 0;
  if (refreshes_merged == 0) origin = now;
}

}  // namespace

void commit(const Succession& succession, std::span<const std::int32_t> cluster,
            std::int64_t sample, NodeState& nodes, Lineage& lineage) {
  std::vector<std::int64_t> id = succession.id;
  for (std::int64_t& i : id)
    if (i == kNone) i = lineage.n_ids++;
  write_ends(succession, id, sample, lineage);
  write_beginnings(succession, id, sample, lineage);

  lineage.sample = sample;
  lineage.living.clear();
  for (std::size_t c = 0; c < id.size(); ++c)
    lineage.living.push_back({id[c], succession.support[c]});
  std::sort(lineage.living.begin(), lineage.living.end(),
            [](const LivingCluster& a, const LivingCluster& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t now = cluster[i] == kNone ? kNone : id[cluster[i]];
    nodes.cluster_id[i] = now;
    if (now != kNone)
      update_origin(now, lineage.living, nodes.origin_id[i], nodes.refreshes_merged[i]);
  }
}

}  // namespace phida
