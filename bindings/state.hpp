// The learner's state as a dictionary of arrays and numbers, and back.
#pragma once

#include <nanobind/nanobind.h>

#include "learner.hpp"

namespace phida::bindings {

nanobind::dict to_dict(const Learner& learner);

// Raises ValueError for a dictionary that is not the state of a learner.
Learner from_dict(const nanobind::dict& state);

}  // namespace phida::bindings
