// Checks for Ctrl-C between slices of long work.
#pragma once

#include <nanobind/nanobind.h>

namespace phida::bindings {

// Called without the GIL. False leaves a Python exception set.
inline bool no_signal() {
  const nanobind::gil_scoped_acquire gil;
  return PyErr_CheckSignals() == 0;
}

}  // namespace phida::bindings
