// How often nodes won together, in and out of a state.
#pragma once

#include <nanobind/nanobind.h>

#include "learning/learner.hpp"

namespace phida::bindings {

namespace nb = nanobind;

// As columns, one entry per winner and runner-up, in ascending order.
void put_co_wins(nb::dict& to, const CoWins& co_wins);

// The same of `n_nodes` nodes, checked.
CoWins co_wins_from(const nb::dict& from, std::size_t n_nodes);

// States older than format 3 have none: counting begins with the next sample.
void take_co_wins(const nb::dict& from, LearnerState& state);

}  // namespace phida::bindings
