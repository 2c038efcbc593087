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

// Living clusters that do not go on: they died, or most of them is in a cluster that has another id.
void write_ends(const Succession& s, const std::vector<std::int64_t>& id, std::int64_t sample,
                Lineage& lineage) {
  std::vector<Event> merged(id.size());
  for (std::size_t k = 0; k < lineage.living.size(); ++k) {
    const LivingCluster& ended = lineage.living[k];
    if (std::find(id.begin(), id.end(), ended.id) != id.end()) continue;
    if (s.successor[k] == kNone) {
      append(lineage, {EventKind::kDied, sample, {ended.id}, {}, ended.support});
      continue;
    }
    Event& event = merged[s.successor[k]];
    const std::int64_t into = id[s.successor[k]];
    if (event.before.empty()) event = {EventKind::kMerged, sample, {into}, {into}, 0.0};
    event.before.push_back(ended.id);
    event.support += s.in_successor[k];
  }
  for (Event& event : merged)
    if (!event.before.empty()) append(lineage, std::move(event));
}

// New clusters that carry on none of the living: they came out of one, they are back, or they are new.
void write_beginnings(const Succession& s, const std::vector<std::int64_t>& id, std::int64_t sample,
                      Lineage& lineage) {
  std::vector<Event> split(lineage.living.size()), others;
  for (std::size_t c = 0; c < id.size(); ++c) {
    if (position_of(id[c], lineage.living) != kNone) continue;
    const std::int32_t parent = position_of(s.parent[c], lineage.living);
    if (s.id[c] != kNone) {
      Event event{EventKind::kRevived, sample, {}, {id[c]}, s.support[c]};
      if (parent != kNone) event.before.push_back(s.parent[c]);
      others.push_back(std::move(event));
    } else if (parent != kNone) {
      Event& event = split[parent];
      const std::int64_t from = s.parent[c];
      if (event.before.empty()) event = {EventKind::kSplit, sample, {from}, {from}, 0.0};
      event.after.push_back(id[c]);
      event.support += s.from_parent[c];
    } else {
      others.push_back({EventKind::kBorn, sample, {}, {id[c]}, s.support[c]});
    }
  }
  for (Event& event : split)
    if (!event.before.empty()) append(lineage, std::move(event));
  for (Event& event : others) append(lineage, std::move(event));
}

}  // namespace

void commit(const Succession& succession, std::span<const std::int32_t> cluster,
            std::int64_t sample, NodeState& nodes, Lineage& lineage) {
  std::vector<std::int64_t> id = succession.id;
  for (std::int64_t& i : id)
    if (i == kNone) i = lineage.n_ids++;
  write_ends(succession, id, sample, lineage);
  write_beginnings(succession, id, sample, lineage);

  lineage.living.clear();
  for (std::size_t c = 0; c < id.size(); ++c)
    lineage.living.push_back({id[c], succession.support[c]});
  std::sort(lineage.living.begin(), lineage.living.end(),
            [](const LivingCluster& a, const LivingCluster& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::int64_t& home = nodes.home_id[i];
    nodes.cluster_id[i] = cluster[i] == kNone ? kNone : id[cluster[i]];
    if (cluster[i] != kNone && (home == kNone || position_of(home, lineage.living) != kNone))
      home = nodes.cluster_id[i];
  }
}

}  // namespace phida
