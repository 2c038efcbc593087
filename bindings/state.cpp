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

bool is_true(const nb::dict& d, const char* name) {
  return d.contains(name) && PyObject_IsTrue(nb::object(d[name]).ptr()) == 1;
}

void refuse_earlier_plus(const nb::dict& d, int version) {
  if (version < 5 && is_true(d, "plus"))
    throw std::invalid_argument(
        "this is a model of an earlier PHIDA+, which cannot be read any more; fit a new model");
}

// Before version 4, PHIDA could limit its nodes.
void refuse_limits(const nb::dict& d) {
  for (const char* name : {"max_nodes", "half_life"})
    state::require(!is_true(d, name), name, "is not a setting of PHIDA any more; fit a new model");
}

// Before anything is written: a file that cannot be loaded must not take the place of one that can.
template <class L>
void require_loadable(const L& learner) {
  try {
    state::check_invariants(learner.settings(), learner.state());
  } catch (const state::FieldError& error) {
    throw std::invalid_argument(
        std::string("this model cannot be saved, because it could not be loaded again: ") +
        error.what());
  }
}

}  // namespace

nb::dict to_dict(const Learner& learner) {
  require_loadable(learner);
  nb::dict d;
  DictWriter writer(d);
  d["format"] = state::kVersion;
  state::settings_fields(writer, learner.settings());
  state::state_fields(writer, learner.settings(), learner.state());
  return d;
}

Learner learner_from(const nb::dict& d) {
  const int version = version_of(d);
  refuse_earlier_plus(d, version);
  refuse_limits(d);
  DictReader reader(d, version);
  if (version >= 4) reader.entry<int>("format");
  Settings settings;
  state::settings_fields(reader, settings);
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

nb::dict to_dict(const PlusLearner& learner) {
  require_loadable(learner);
  nb::dict d;
  DictWriter writer(d);
  d["format"] = state::kVersion;
  d["plus"] = true;
  state::plus_settings_fields(writer, learner.settings());
  state::plus_state_fields(writer, learner.state());
  return d;
}

PlusLearner plus_learner_from(const nb::dict& d) {
  const int version = version_of(d);
  refuse_earlier_plus(d, version);
  DictReader reader(d, version);
  reader.entry<int>("format");
  state::require(reader.entry<bool>("plus"), "plus", "must be true");
  FineSettings settings;
  state::plus_settings_fields(reader, settings);
  state::check_settings(settings);
  // Before anything of this width is allocated.
  state::require(reader.entry<Matrix>("mean").shape(1) == settings.dims, "n_features",
                 "is not the width of 'mean'");
  PlusState s(settings.dims);
  state::plus_state_fields(reader, s);
  reader.finish();
  state::check_state(settings, s);
  return PlusLearner(settings, std::move(s));
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

nb::dict candidates_of(const Lineage& lineage) {
  nb::dict d;
  DictWriter writer(d);
  state::candidate_fields(writer, lineage);
  return d;
}

nb::dict living_of(std::span<const LivingCluster> living, const LineageColumns& nodes,
                   std::span<const std::int64_t> born) {
  std::vector<std::int64_t> id;
  std::vector<std::uint8_t> quiet;
  std::vector<double> birth(living.size(), 0.0), rows(living.size(), 0.0);
  for (const LivingCluster& cluster : living) {
    id.push_back(cluster.id);
    quiet.push_back(cluster.is_quiet());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t k = position_of(nodes.cluster_id[i], living);
    if (k == kNone) continue;
    const double won = static_cast<double>(nodes.won[i]);
    birth[k] += won * static_cast<double>(born[i]);
    rows[k] += won;
  }
  for (std::size_t k = 0; k < living.size(); ++k) birth[k] /= std::max(rows[k], 1.0);
  nb::dict d;
  d["id"] = to_array(id);
  d["birth"] = to_array(birth);
  d["quiet"] = to_array(quiet);
  return d;
}

nb::dict to_dict(const History& history) {
  nb::dict d;
  DictWriter writer(d);
  state::milestone_fields(writer, history);
  return d;
}

}  // namespace phida::bindings
