// The part of a state that is kept for readers: names of clusters, their lineage, history, and recent margins.
#pragma once

#include <nanobind/nanobind.h>

#include "learning/learner.hpp"

namespace phida::bindings {

void put_lineage(nanobind::dict& to, const LearnerState& state);

// Raises ValueError for entries that make no sense. States of format version 1 have none: nothing is named then.
void take_lineage(const nanobind::dict& from, LearnerState& state);

// The events from number `since` on, as columns; those before count as dropped.
void put_events(nanobind::dict& to, const Lineage& lineage, std::int64_t since);

// The milestones, as columns.
void put_history(nanobind::dict& to, const History& history);

}  // namespace phida::bindings
