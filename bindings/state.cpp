#include "state.hpp"

#include <algorithm>

#include "dict_archive.hpp"
#include "state/check.hpp"

namespace phida::bindings {
namespace {

void check_format(DictReader& reader) {
  state::require(reader.entry<int>("format") == state::kVersion, "format",
                 "is not the version that can be read here; fit a new model");
}

// Checked before anything is written: a file that cannot be loaded must not replace one that can.
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
  DictReader reader(d);
  check_format(reader);
  Settings settings;
  state::settings_fields(reader, settings);
  // Checked before anything of this width is allocated. This array has a number per feature even without rows.
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

FineSettings settings_from(std::size_t n_features, const nb::dict& given) {
  FineSettings settings{.dims = n_features};
  nb::dict d;
  DictWriter writer(d);
  state::plus_settings_fields(writer, settings);
  d.update(given);
  DictReader reader(d);
  state::plus_settings_fields(reader, settings);
  reader.finish();
  state::check_settings(settings);
  return settings;
}

PlusLearner plus_learner_from(const nb::dict& d) {
  DictReader reader(d);
  check_format(reader);
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
