// Archives over a dictionary of arrays and numbers: reads and writes the entries of state/fields.hpp by name.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "nodes/sample_buffer.hpp"
#include "state/fields.hpp"

namespace phida::bindings {

class DictWriter {
 public:
  static constexpr bool kReads = false;

  explicit DictWriter(nb::dict& dict) : dict_(dict) {}

  template <class T, class Limit>
  void field(const char* name, const T& value, const state::Range<Limit>&) {
    dict_[name] = value;
  }
  template <class T, class Limit>
  void column(const char* name, const std::vector<T>& values, std::size_t,
              const state::Range<Limit>&) {
    dict_[name] = to_array(values);
  }
  void rows(const char* name, const RowMatrix& matrix, std::size_t, const state::Range<double>&) {
    dict_[name] = to_array(matrix);
    width_ = matrix.cols();
  }
  void features(const char* name, const AlignedDoubles& row, const state::Range<double>&) {
    dict_[name] = to_array(std::span<const double>{row.data(), width_});
  }
  void samples(const char* name, const SampleBuffer& buffer, const state::Range<double>&) {
    RowMatrix oldest_first(buffer.dims());
    for (std::size_t age = buffer.size(); age-- > 0;) oldest_first.append(buffer.recent(age));
    dict_[name] = to_array(oldest_first);
    width_ = buffer.dims();
  }

 private:
  nb::dict& dict_;
  std::size_t width_ = 0;  // features; rows are read before per-feature values
};

class DictReader {
 public:
  static constexpr bool kReads = true;

  explicit DictReader(const nb::dict& dict) : dict_(dict) {}

  template <class T, class Limit>
  void field(const char* name, T& value, const state::Range<Limit>& range) {
    value = entry<T>(name);
    state::check_number(name, value, range);
  }
  template <class T, class Limit>
  void column(const char* name, std::vector<T>& values, std::size_t length,
              const state::Range<Limit>& range) {
    using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    const auto array = entry<Array>(name);
    state::require(length == state::kAnyLength || array.shape(0) == length, name,
                   "has the wrong length");
    values.assign(array.data(), array.data() + array.shape(0));
    state::check_numbers(name, values, range);
  }
  void rows(const char* name, RowMatrix& matrix, std::size_t n, const state::Range<double>& range) {
    const auto array = entry<Matrix>(name);
    width_ = matrix.cols();
    state::require(array.shape(1) == width_ && (n == state::kAnyLength || array.shape(0) == n),
                   name, "has the wrong shape");
    matrix = to_rows(array);
    state::check_numbers(name, matrix, range);
  }
  void features(const char* name, AlignedDoubles& row, const state::Range<double>& range) {
    const auto array = entry<Vector>(name);
    state::require(array.shape(0) == width_, name, "has the wrong length");
    row = to_padded(array);
    state::check_numbers(name, as_span(array), range);
  }
  void samples(const char* name, SampleBuffer& buffer, const state::Range<double>& range) {
    RowMatrix oldest_first(buffer.dims());
    rows(name, oldest_first, state::kAnyLength, range);
    for (std::size_t i = 0; i < oldest_first.rows(); ++i) buffer.append(oldest_first[i]);
  }

  // Refuses unknown entries.
  void finish() const {
    for (const auto& [key, value] : dict_) {
      std::string name;
      state::require(nb::try_cast(key, name), "state", "has an entry whose name is not text");
      if (!read_.contains(name)) throw state::FieldError(name, "is not known");
    }
  }

  template <class T>
  T entry(const char* name) {
    read_.insert(name);
    state::require(dict_.contains(name), name, "is missing");
    T value{};
    state::require(nb::try_cast(dict_[name], value, false), name, "has the wrong type");
    return value;
  }

 private:
  const nb::dict& dict_;
  std::size_t width_ = 0;
  std::set<std::string> read_;
};

}  // namespace phida::bindings
