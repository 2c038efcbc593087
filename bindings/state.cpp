#include "state.hpp"

#include <algorithm>

#include "dict_archive.hpp"
#include "state/check.hpp"

namespace phida::bindings {
namespace {

// States say their format since version 4. Before that, what they have tells.
int version_of(const nb::dict& d) {
  if (!d.contains("format")) return d.contains("co_count") ? 3 : d.contains("n_ids") ? 2 : 1;
  int version = 0;
  state::require(
      nb::try_cast(d["format"], version, false) && version >= 4 && version <= state::kVersion,
      "format", "is not a version that can be read here");
  return version;
}

}  // namespace

nb::dict to_dict(const Learner& learner) {
  nb::dict d;
  DictWriter writer(d);
  d["format"] = state::kVersion;
  state::settings_fields(writer, learner.settings());
  state::state_fields(writer, learner.settings(), learner.state());
  return d;
}

Learner learner_from(const nb::dict& d) {
  const int version = version_of(d);
  DictReader reader(d, version);
  if (version >= 4) reader.entry<int>("format");
  Settings settings;
  state::settings_fields(reader, settings);
  state::check_settings(settings);
  // Before anything of this width is allocated. This one has a number per feature even where there are no rows.
  const auto mean = reader.entry<Vector>("stream_mean");
  state::require(mean.shape(0) == settings.dims, "n_features",
                 "is not the length of 'stream_mean'");
  LearnerState s(settings.dims);
  state::state_fields(reader, settings, s);
  reader.finish();
  for (std::size_t i = 0; i < s.nodes.size(); ++i) s.nodes.stamp.push_back(++s.nodes.changes);
  state::check_state(settings, s);
  return Learner(settings, std::move(s));
}

nb::dict to_dict(const LocalUpdate& update) {
  nb::dict d;
  DictWriter writer(d);
  state::update_fields(writer, update);
  return d;
}

LocalUpdate update_from(const nb::dict& d, std::size_t dims) {
  LocalUpdate update(dims);
  DictReader reader(d, state::kVersion);
  state::update_fields(reader, update);
  reader.finish();
  state::check_update(update);
  return update;
}

nb::dict events_since(const Lineage& lineage, std::int64_t since) {
  const std::int64_t known = std::clamp<std::int64_t>(
      since - lineage.n_dropped, 0, static_cast<std::int64_t>(lineage.events.size()));
  Lineage later;
  later.events.assign(lineage.events.begin() + known, lineage.events.end());
  later.n_dropped = lineage.n_dropped + known;
  nb::dict d;
  DictWriter writer(d);
  state::event_fields(writer, later);
  return d;
}

nb::dict living_of(const LearnerState& state) {
  const std::vector<LivingCluster>& living = state.lineage.living;
  const NodeState& nodes = state.nodes;
  std::vector<std::int64_t> id;
  std::vector<double> birth(living.size(), 0.0), rows(living.size(), 0.0);
  for (const LivingCluster& cluster : living) id.push_back(cluster.id);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t k = position_of(nodes.cluster_id[i], living);
    if (k == kNone) continue;
    const double won = static_cast<double>(nodes.won[i]);
    birth[k] += won * static_cast<double>(nodes.birth[i]);
    rows[k] += won;
  }
  for (std::size_t k = 0; k < living.size(); ++k) birth[k] /= std::max(rows[k], 1.0);
  nb::dict d;
  d["id"] = to_array(id);
  d["birth"] = to_array(birth);
  return d;
}

nb::dict to_dict(const History& history) {
  nb::dict d;
  DictWriter writer(d);
  state::milestone_fields(writer, history);
  return d;
}

}  // namespace phida::bindings
