// Structs as dictionaries and back, for every struct that names its fields to a visitor.
//
// The struct has `template <class Self, class Visit> static void fields(Self& self, Visit&& visit)`, which calls
// visit("name", self.field) for each. A baseline's state is pickled so, and its settings are given so.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <limits>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "baselines/aged_graph.hpp"
#include "baselines/node_positions.hpp"
#include "nodes/sample_buffer.hpp"

namespace phida::bindings {

class FieldWriter {
 public:
  explicit FieldWriter(nb::dict& dict) : dict_(dict) {}

  void operator()(const char* name, const auto& value) const { dict_[name] = converted(value); }

 private:
  template <class T>
  static nb::object converted(const std::vector<T>& values) {
    return to_array(values);
  }
  static nb::object converted(const AlignedDoubles& row) { return to_array(row); }
  static nb::object converted(const RowMatrix& rows) { return to_array(rows); }
  static nb::object converted(const SampleBuffer& samples) {
    RowMatrix rows(samples.dims());  // oldest first
    for (std::size_t age = samples.size(); age-- > 0;) rows.append(samples.recent(age));
    return to_array(rows);
  }
  static nb::object converted(const baselines::NodePositions& positions) {
    return to_array(positions.rows());
  }
  // The number of nodes, which isolated ones would hide, comes first.
  static nb::object converted(const baselines::AgedGraph& graph) {
    std::vector<std::int64_t> values{static_cast<std::int64_t>(graph.size())};
    for (const auto& [a, b, age] : graph.edges()) values.insert(values.end(), {a, b, age});
    return to_array(values);
  }
  template <class T>
  static nb::object converted(const T& value) {
    return nb::cast(value);
  }

  nb::dict& dict_;
};

class FieldReader {
 public:
  explicit FieldReader(const nb::dict& dict) : dict_(dict) {}

  void operator()(const char* name, auto& value) {
    ++n_read_;
    if (!dict_.contains(name)) throw nb::value_error(("no '" + std::string(name) + "'").c_str());
    if (!read(dict_[name], value))
      throw nb::value_error(("'" + std::string(name) + "' has the wrong type or range").c_str());
  }
  std::size_t n_read() const { return n_read_; }

 private:
  template <class T>
  static bool read(nb::handle from, std::vector<T>& values) {
    nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(from, array)) return false;
    values.assign(array.data(), array.data() + array.shape(0));
    return true;
  }
  static bool read(nb::handle from, AlignedDoubles& row) {
    Vector array;
    if (!nb::try_cast(from, array) || array.shape(0) != row.size()) return false;
    std::copy_n(array.data(), row.size(), row.begin());
    return true;
  }
  // The object has said already how many samples are kept.
  static bool read(nb::handle from, SampleBuffer& samples) {
    RowMatrix rows(samples.dims());
    if (!read(from, rows) || rows.rows() > samples.kept()) return false;
    for (std::size_t i = 0; i < rows.rows(); ++i) samples.append(rows[i]);
    return true;
  }
  static bool read(nb::handle from, RowMatrix& rows) {
    Matrix array;
    if (!nb::try_cast(from, array) || array.shape(1) != rows.cols()) return false;
    rows = to_rows(array);
    return true;
  }
  static bool read(nb::handle from, baselines::NodePositions& positions) {
    RowMatrix rows(positions.dims());
    if (!read(from, rows)) return false;
    positions = baselines::NodePositions(std::move(rows));
    return true;
  }
  static bool read(nb::handle from, baselines::AgedGraph& graph) {
    std::vector<std::int64_t> values;
    if (!read(from, values) || values.size() % 3 != 1 || values[0] < 0) return false;
    const std::int64_t n = values[0];
    if (n > std::numeric_limits<std::int32_t>::max()) return false;
    graph = {};
    for (std::int64_t i = 0; i < n; ++i) graph.add_node();
    for (std::size_t e = 1; e < values.size(); e += 3) {
      const std::int64_t a = values[e], b = values[e + 1];
      if (a < 0 || a >= b || b >= n) return false;
      graph.connect(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), values[e + 2]);
    }
    return true;
  }
  template <class T>
  static bool read(nb::handle from, T& value) {
    return nb::try_cast(from, value);
  }

  const nb::dict& dict_;
  std::size_t n_read_ = 0;
};

template <class T>
nb::dict to_dict_of_fields(const T& object) {
  nb::dict dict;
  T::fields(object, FieldWriter(dict));
  return dict;
}

// Raises ValueError where a field is missing, of another type, or unknown.
template <class T>
void set_fields(T& object, const nb::dict& dict) {
  FieldReader reader(dict);
  T::fields(object, reader);
  if (reader.n_read() != dict.size()) throw nb::value_error("there are unknown entries");
}

}  // namespace phida::bindings
