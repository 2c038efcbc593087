// The learner's state as a dictionary of arrays and numbers, and back.
#pragma once

#include <nanobind/nanobind.h>

#include "learning/learner.hpp"

namespace phida::bindings {

// Raises ValueError unless each is off or in its range.
void check_limits(std::size_t max_nodes, double half_life);

nanobind::dict to_dict(const Learner& learner);

// Raises ValueError for a dictionary that is not the state of a learner.
Learner from_dict(const nanobind::dict& state);

}  // namespace phida::bindings
