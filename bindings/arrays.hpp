// Conversion of NumPy arrays. The signatures repeat the checks of the border: float64, C order, no conversion.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <span>

#include "numeric/row_matrix.hpp"

namespace phida::bindings {

namespace nb = nanobind;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto as_span(const Array& array) {
  return std::span{array.data(), array.shape(0)};
}

template <class T>
nb::object new_array(std::initializer_list<std::size_t> shape, T*& data) {
  std::size_t size = 1;
  for (const std::size_t extent : shape) size *= extent;
  data = new T[size];
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(data, shape.size(), shape.begin(), owner));
}

// Indices and counts become NumPy's default integer, flags booleans.
template <class T, class Values>
nb::object to_array_of(const Values& values) {
  T* data = nullptr;
  nb::object array = new_array<T>({values.size()}, data);
  std::copy(values.begin(), values.end(), data);
  return array;
}

template <class Values>
nb::object to_array(const Values& values) {
  return to_array_of<std::remove_cv_t<typename Values::value_type>>(values);
}

template <class Values>
nb::object to_matrix(const Values& values, std::size_t rows, std::size_t cols) {
  using T = std::remove_cv_t<typename Values::value_type>;
  T* data = nullptr;
  nb::object array = new_array<T>({rows, cols}, data);
  std::copy_n(values.begin(), rows * cols, data);
  return array;
}

inline nb::object to_array(const RowMatrix& rows) {
  double* data = nullptr;
  nb::object array = new_array<double>({rows.rows(), rows.cols()}, data);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    std::copy_n(rows[i], rows.cols(), data + i * rows.cols());
  return array;
}

// An array of one integer per row, filled by work(out) with the GIL released. If work returns false, raises the
// exception of the signal handler.
template <class Work>
nb::object per_row(const Matrix& rows, Work work) {
  std::int64_t* out = nullptr;
  nb::object array = new_array<std::int64_t>({rows.shape(0)}, out);
  bool whole = false;
  {
    const nb::gil_scoped_release released;
    whole = work(out);
  }
  if (!whole) throw nb::python_error();
  return array;
}

inline RowMatrix to_rows(const Matrix& array) {
  RowMatrix rows(array.shape(1));
  for (std::size_t i = 0; i < array.shape(0); ++i) rows.append(array.data() + i * array.shape(1));
  return rows;
}

inline AlignedDoubles to_padded(const Vector& values) {
  AlignedDoubles row(padded(values.shape(0)), 0.0);
  std::copy_n(values.data(), values.shape(0), row.begin());
  return row;
}

}  // namespace phida::bindings
