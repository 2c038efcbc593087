// Checks agreement between the fields of a state; single numbers are checked with their lists (state/fields.hpp).
#pragma once

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"

namespace phida::state {

// Raises FieldError. Learning preserves all of these conditions, so a saved state can always be loaded.
void check_settings(const FineSettings& settings);
void check_state(const Settings& settings, const LearnerState& state);
void check_state(const FineSettings& settings, const PlusState& state);

// All conditions, and the range of every number.
void check_invariants(const Settings& settings, const LearnerState& state);
void check_invariants(const FineSettings& settings, const PlusState& state);

}  // namespace phida::state
