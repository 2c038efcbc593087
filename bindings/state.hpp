// Conversion of both learners' states from and to dictionaries of arrays and numbers.
#pragma once

#include <nanobind/nanobind.h>

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"

namespace phida::bindings {

nanobind::dict to_dict(const Learner& learner);
nanobind::dict to_dict(const PlusLearner& learner);

// Both raise ValueError for an invalid dictionary, and name the field.
Learner learner_from(const nanobind::dict& state);
PlusLearner plus_learner_from(const nanobind::dict& state);

// The settings of a new learner: those given, by the names of their fields, and the defaults of the others. Raises
// ValueError likewise.
FineSettings settings_from(std::size_t n_features, const nanobind::dict& given);

// The events from number `since` on, as columns; earlier ones count as dropped.
nanobind::dict events_since(const Lineage& lineage, std::int64_t since);

// The candidates, as columns.
nanobind::dict candidates_of(const Lineage& lineage);

// The living clusters, as columns: their ids, the mean creation time of their nodes weighted by wins, and whether
// they are quiet.
nanobind::dict living_of(std::span<const LivingCluster> living, const LineageColumns& nodes,
                         std::span<const std::int64_t> birth);

// The milestones, as columns.
nanobind::dict to_dict(const History& history);

}  // namespace phida::bindings
