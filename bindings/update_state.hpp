// What workers send: a local update as arrays by name.
#pragma once

#include <nanobind/nanobind.h>

#include "learning/local_update.hpp"

namespace phida::bindings {

nanobind::dict to_dict(const LocalUpdate& update);

// Raises ValueError for what makes no sense.
LocalUpdate update_from_dict(const nanobind::dict& d, std::size_t dims);

}  // namespace phida::bindings
