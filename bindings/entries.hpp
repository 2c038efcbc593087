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
#include "nodes/sample_buffer.hpp"

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

inline RowMatrix rows(const nb::dict& state, const char* key, std::size_t n, std::size_t dims) {
  const auto array = entry<Matrix>(state, key);
  if (array.shape(0) != n || array.shape(1) != dims)
    throw nb::value_error(("state: '" + std::string(key) + "' has the wrong shape").c_str());
  return to_rows(array);
}

inline AlignedDoubles features(const nb::dict& state, const char* key, std::size_t dims) {
  const std::vector<double> values = column<double>(state, key, dims);
  AlignedDoubles row(padded(dims), 0.0);
  std::copy(values.begin(), values.end(), row.begin());
  return row;
}

inline SampleBuffer samples(const nb::dict& state, std::size_t dims) {
  const auto recent = entry<Matrix>(state, "samples");
  const auto kept = entry<std::size_t>(state, "samples_kept");
  require(recent.shape(1) == dims, "state: 'samples' has the wrong width");
  require(kept <= std::size_t{1} << 26, "state: 'samples_kept' is out of range");
  require(kept == 0 || recent.shape(0) <= kept, "state: more 'samples' than are kept");
  SampleBuffer buffer(dims);
  for (std::size_t i = 0; i < recent.shape(0); ++i) buffer.append(recent.data() + i * dims);
  if (kept != 0) buffer.keep(kept);
  return buffer;
}

}  // namespace phida::bindings
