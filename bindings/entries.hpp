// Entries of a state that somebody hands in: each is there, of its type and of its length, or a ValueError names it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"

namespace phida::bindings {

template <class T>
T entry(const nb::dict& state, const char* key) {
  if (!state.contains(key))
    throw nb::value_error(("state has no '" + std::string(key) + "'").c_str());
  T value{};
  if (!nb::try_cast(state[key], value, false))
    throw nb::value_error(("state: '" + std::string(key) + "' has the wrong type").c_str());
  return value;
}

template <class T>
std::vector<T> column(const nb::dict& state, const char* key, std::size_t n) {
  using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  const auto array = entry<Array>(state, key);
  if (array.shape(0) != n)
    throw nb::value_error(("state: '" + std::string(key) + "' has the wrong length").c_str());
  return {array.data(), array.data() + n};
}

// All of a column, however long.
template <class T>
std::vector<T> column(const nb::dict& state, const char* key) {
  using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  return column<T>(state, key, entry<Array>(state, key).shape(0));
}

inline void require(bool holds, const char* what) {
  if (!holds) throw nb::value_error(what);
}

template <class Values>
bool all_finite(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

inline bool all_finite(const RowMatrix& rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (!all_finite(std::span<const double>{rows[i], rows.cols()})) return false;
  return true;
}

}  // namespace phida::bindings
