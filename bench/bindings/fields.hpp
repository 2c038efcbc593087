// Structs as dictionaries and back, for every struct that names its fields to a visitor.
//
// The struct has `template <class Self, class Visit> static void fields(Self& self, Visit&& visit)`, which calls
// visit("name", self.field) for each. A type that nanobind cannot convert specialises FieldConverter.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "arrays.hpp"
#include "nodes/sample_buffer.hpp"

namespace phida::bindings {

// Converts a field of type T to a Python object and back. `read` returns false if the object has the wrong type or
// range; the field's value is then undefined.
template <class T>
struct FieldConverter {
  static nb::object write(const T& value) { return nb::cast(value); }
  static bool read(nb::handle from, T& value) { return nb::try_cast(from, value); }
};

template <class T>
struct FieldConverter<std::vector<T>> {
  static nb::object write(const std::vector<T>& values) { return to_array(values); }
  static bool read(nb::handle from, std::vector<T>& values) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(from, array)) return false;
    values.assign(array.data(), array.data() + array.shape(0));
    return true;
  }
};

// The object must already have the length of the array.
template <>
struct FieldConverter<AlignedDoubles> {
  static nb::object write(const AlignedDoubles& row) { return to_array(row); }
  static bool read(nb::handle from, AlignedDoubles& row) {
    Vector array;
    if (!nb::try_cast(from, array) || array.shape(0) != row.size()) return false;
    std::copy_n(array.data(), row.size(), row.begin());
    return true;
  }
};

// The object must already have the number of columns.
template <>
struct FieldConverter<RowMatrix> {
  static nb::object write(const RowMatrix& rows) { return to_array(rows); }
  static bool read(nb::handle from, RowMatrix& rows) {
    Matrix array;
    if (!nb::try_cast(from, array) || array.shape(1) != rows.cols()) return false;
    rows = to_rows(array);
    return true;
  }
};

// Oldest first. The object must already know the number of samples to read.
template <>
struct FieldConverter<SampleBuffer> {
  static nb::object write(const SampleBuffer& samples) {
    RowMatrix rows(samples.dims());
    for (std::size_t age = samples.size(); age-- > 0;) rows.append(samples.recent(age));
    return to_array(rows);
  }
  static bool read(nb::handle from, SampleBuffer& samples) {
    RowMatrix rows(samples.dims());
    if (!FieldConverter<RowMatrix>::read(from, rows) || rows.rows() > samples.kept()) return false;
    for (std::size_t i = 0; i < rows.rows(); ++i) samples.append(rows[i]);
    return true;
  }
};

class FieldWriter {
 public:
  explicit FieldWriter(nb::dict& dict) : dict_(dict) {}

  template <class T>
  void operator()(const char* name, const T& value) const {
    dict_[name] = FieldConverter<T>::write(value);
  }

 private:
  nb::dict& dict_;
};

class FieldReader {
 public:
  explicit FieldReader(const nb::dict& dict) : dict_(dict) {}

  template <class T>
  void operator()(const char* name, T& value) {
    ++n_read_;
    if (!dict_.contains(name)) throw nb::value_error(("no '" + std::string(name) + "'").c_str());
    if (!FieldConverter<T>::read(dict_[name], value))
      throw nb::value_error(("'" + std::string(name) + "' has the wrong type or range").c_str());
  }
  std::size_t n_read() const { return n_read_; }

 private:
  const nb::dict& dict_;
  std::size_t n_read_ = 0;
};

template <class T>
nb::dict to_dict_of_fields(const T& object) {
  nb::dict dict;
  T::fields(object, FieldWriter(dict));
  return dict;
}

// Raises ValueError if a field is missing, of another type, or unknown.
template <class T>
void set_fields(T& object, const nb::dict& dict) {
  FieldReader reader(dict);
  T::fields(object, reader);
  if (reader.n_read() != dict.size()) throw nb::value_error("there are unknown entries");
}

}  // namespace phida::bindings
