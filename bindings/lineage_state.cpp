#include "lineage_state.hpp"

#include "entries.hpp"

namespace phida::bindings {
namespace {

// One field of every element, as an array.
template <class T, class Elements, class Get>
nb::object column_of(const Elements& elements, Get get) {
  std::vector<T> values;
  for (const auto& element : elements) values.push_back(static_cast<T>(get(element)));
  return to_array(values);
}

bool all_between(const std::vector<std::int64_t>& values, std::int64_t least, std::int64_t below) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::int64_t v) { return v >= least && v < below; });
}

void take_names(const nb::dict& from, NodeState& nodes, Lineage& lineage) {
  lineage.n_ids = entry<std::int64_t>(from, "n_ids");
  const auto id = column<std::int64_t>(from, "living_id");
  const auto support = column<double>(from, "living_support", id.size());
  require(lineage.n_ids >= 0 && all_between(id, 0, lineage.n_ids) && all_finite(support) &&
              std::adjacent_find(id.begin(), id.end(), std::greater_equal<>()) == id.end(),
          "state: 'living_id' must ascend from 0 to 'n_ids'");
  for (std::size_t k = 0; k < id.size(); ++k) lineage.living.push_back({id[k], support[k]});
  nodes.cluster_id = column<std::int64_t>(from, "cluster_id", nodes.size());
  nodes.home_id = column<std::int64_t>(from, "home_id", nodes.size());
  for (const std::int64_t i : nodes.cluster_id)
    require(i == kNone || position_of(i, lineage.living) != kNone,
            "state: 'cluster_id' names a cluster that is not living");
  nodes.away = column<std::int32_t>(from, "away", nodes.size());
  require(all_between(nodes.home_id, kNone, lineage.n_ids), "state: 'home_id' is out of range");
  for (const std::int32_t a : nodes.away)
    require(a >= 0 && a <= kRefreshesAway, "state: 'away' is out of range");
}

void take_events(const nb::dict& from, Lineage& lineage) {
  const auto kind = column<std::uint8_t>(from, "event_kind");
  const std::size_t n = kind.size();
  const auto sample = column<std::int64_t>(from, "event_sample", n);
  const auto n_before = column<std::int64_t>(from, "event_n_before", n);
  const auto n_after = column<std::int64_t>(from, "event_n_after", n);
  const auto support = column<double>(from, "event_support", n);
  const auto ids = column<std::int64_t>(from, "event_ids");
  lineage.n_dropped = entry<std::int64_t>(from, "events_dropped");
  lineage.n_event_ids = ids.size();
  require(n <= kMostEvents && ids.size() <= kMostEventIds && lineage.n_dropped >= 0 &&
              all_finite(support) && all_between(ids, 0, lineage.n_ids),
          "state: events that cannot be");
  auto next = ids.begin();
  const auto take = [&](std::int64_t count) {
    require(count >= 0 && count <= ids.end() - next, "state: events with too few ids");
    next += count;
    return std::vector<std::int64_t>(next - count, next);
  };
  for (std::size_t e = 0; e < n; ++e) {
    require(kind[e] <= static_cast<std::uint8_t>(EventKind::kRevived),
            "state: an event of no kind");
    std::vector<std::int64_t> before = take(n_before[e]), after = take(n_after[e]);
    lineage.events.push_back({static_cast<EventKind>(kind[e]), sample[e], std::move(before),
                              std::move(after), support[e]});
  }
  require(next == ids.end(), "state: events with too many ids");
}

void take_history(const nb::dict& from, History& history) {
  const auto sample = column<std::int64_t>(from, "history_sample");
  const std::size_t n = sample.size();
  const auto nodes = column<std::int64_t>(from, "history_n_nodes", n);
  const auto components = column<std::int64_t>(from, "history_n_components", n);
  const auto clusters = column<std::int64_t>(from, "history_n_clusters", n);
  const auto vigilance = column<double>(from, "history_vigilance", n);
  const auto interval = column<std::int64_t>(from, "history_interval", n);
  history.n_refreshes = entry<std::int64_t>(from, "n_refreshes");
  history.stride = entry<std::int64_t>(from, "history_stride");
  require(n <= kMostMilestones && history.stride >= 1 && history.n_refreshes >= 0 &&
              all_finite(vigilance),
          "state: a history that cannot be");
  const auto size = [](std::int64_t value) {
    require(value >= 0, "state: a history that cannot be");
    return static_cast<std::size_t>(value);
  };
  for (std::size_t i = 0; i < n; ++i)
    history.milestones.push_back({sample[i], size(nodes[i]), size(components[i]), size(clusters[i]),
                                  vigilance[i], size(interval[i])});
}

void take_margins(const nb::dict& from, RecentMargins& margins) {
  margins.values = column<double>(from, "margins");
  margins.next = entry<std::size_t>(from, "margins_next");
  require(margins.values.size() <= kMostMargins && all_finite(margins.values) &&
              margins.next < kMostMargins &&
              (margins.values.size() == kMostMargins || margins.next == margins.values.size()),
          "state: 'margins' that cannot be");
}

}  // namespace

void put_events(nb::dict& to, const Lineage& lineage, std::int64_t since) {
  const std::int64_t known = std::clamp<std::int64_t>(
      since - lineage.n_dropped, 0, static_cast<std::int64_t>(lineage.events.size()));
  const std::deque<Event> events(lineage.events.begin() + known, lineage.events.end());
  std::vector<std::int64_t> ids;
  for (const Event& event : events) {
    ids.insert(ids.end(), event.before.begin(), event.before.end());
    ids.insert(ids.end(), event.after.begin(), event.after.end());
  }
  to["event_kind"] = column_of<std::uint8_t>(events, [](const Event& e) { return e.kind; });
  to["event_sample"] = column_of<std::int64_t>(events, [](const Event& e) { return e.sample; });
  to["event_n_before"] =
      column_of<std::int64_t>(events, [](const Event& e) { return e.before.size(); });
  to["event_n_after"] =
      column_of<std::int64_t>(events, [](const Event& e) { return e.after.size(); });
  to["event_support"] = column_of<double>(events, [](const Event& e) { return e.support; });
  to["event_ids"] = to_array(ids);
  to["events_dropped"] = lineage.n_dropped + known;
}

void put_history(nb::dict& to, const History& history) {
  const std::vector<Milestone>& all = history.milestones;
  using M = Milestone;
  to["history_sample"] = column_of<std::int64_t>(all, [](const M& m) { return m.sample; });
  to["history_n_nodes"] = column_of<std::int64_t>(all, [](const M& m) { return m.n_nodes; });
  to["history_n_components"] =
      column_of<std::int64_t>(all, [](const M& m) { return m.n_components; });
  to["history_n_clusters"] = column_of<std::int64_t>(all, [](const M& m) { return m.n_clusters; });
  to["history_vigilance"] = column_of<double>(all, [](const M& m) { return m.vigilance; });
  to["history_interval"] = column_of<std::int64_t>(all, [](const M& m) { return m.interval; });
}

void put_lineage(nb::dict& to, const LearnerState& state) {
  const Lineage& lineage = state.lineage;
  to["cluster_id"] = to_array(state.nodes.cluster_id);
  to["home_id"] = to_array(state.nodes.home_id);
  to["away"] = to_array(state.nodes.away);
  to["n_ids"] = lineage.n_ids;
  to["lineage_sample"] = lineage.sample;
  to["lineage_by_coactivation"] = lineage.by_coactivation;
  to["living_id"] =
      column_of<std::int64_t>(lineage.living, [](const LivingCluster& c) { return c.id; });
  to["living_support"] =
      column_of<double>(lineage.living, [](const LivingCluster& c) { return c.support; });
  put_events(to, lineage, 0);
  put_history(to, state.history);
  to["n_refreshes"] = state.history.n_refreshes;
  to["history_stride"] = state.history.stride;
  to["margins"] = to_array(state.margins.values);
  to["margins_next"] = state.margins.next;
}

void take_lineage(const nb::dict& from, LearnerState& state) {
  if (!from.contains("n_ids")) {
    state.nodes.cluster_id.assign(state.nodes.size(), kNone);
    state.nodes.home_id.assign(state.nodes.size(), kNone);
    state.nodes.away.assign(state.nodes.size(), 0);
    return;
  }
  // Format 2 has neither; by co-activation, there is nothing to be seen yet.
  state.lineage.sample = state.n_seen;
  if (from.contains("lineage_sample")) {
    state.lineage.sample = entry<std::int64_t>(from, "lineage_sample");
    state.lineage.by_coactivation = entry<bool>(from, "lineage_by_coactivation");
  }
  require(state.lineage.sample >= 0 && state.lineage.sample <= state.n_seen,
          "state: 'lineage_sample' is out of range");
  take_names(from, state.nodes, state.lineage);
  take_events(from, state.lineage);
  take_history(from, state.history);
  take_margins(from, state.margins);
}

}  // namespace phida::bindings
