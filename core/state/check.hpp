// What must agree between the fields of a state; each number alone is checked by its list (state/fields.hpp).
#pragma once

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"

namespace phida::state {

// Raises FieldError. Learning keeps all of this true, so that a state which was saved can always be loaded.
void check_settings(const FineSettings& settings);
void check_state(const Settings& settings, const LearnerState& state);
void check_state(const FineSettings& settings, const PlusState& state);

// All of it, and every number by its list.
void check_invariants(const Settings& settings, const LearnerState& state);
void check_invariants(const FineSettings& settings, const PlusState& state);

}  // namespace phida::state
