// Ranges of the numbers in a state, which may come from an untrusted file.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "metric/moments.hpp"
#include "nodes/sample_buffer.hpp"
#include "numeric/row_matrix.hpp"

namespace phida::state {

// An invalid field; the message names it.
class FieldError : public std::invalid_argument {
 public:
  FieldError(const std::string& field, const std::string& problem)
      : std::invalid_argument("'" + field + "' " + problem) {}
};

inline void require(bool holds, const char* field, const char* problem) {
  if (!holds) throw FieldError(field, problem);
}

// Inclusive bounds.
template <class T>
struct Range {
  T least;
  T most;
};

constexpr Range<double> kValues{-kLargestValue, kLargestValue};
constexpr Range<double> kSquares{0.0, kMostSquares};
constexpr Range<double> kShares{0.0, 1.0};
constexpr Range<double> kScales{1e-7, 1e150};  // a node scale is at least 1e-6
constexpr Range<double> kFactors{1e-160, std::numeric_limits<double>::max()};  // of the metric
// two nodes may learn from one row
constexpr Range<double> kSupports{0.5, 0x1p55};
constexpr Range<std::int64_t> kCounts{0, std::int64_t{1} << 53};  // doubles hold them exactly
constexpr Range<std::int64_t> kAny{0, 1};                         // for flags

template <class T>
std::string as_text(T value) {
  std::ostringstream text;
  text.precision(17);
  text << +value;
  return text.str();
}

template <class T, class Limit>
void check_number(const char* field, T value, const Range<Limit>& range) {
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  bool inside = false;
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == 8)
    inside = value <= static_cast<std::uint64_t>(INT64_MAX) &&
             static_cast<std::int64_t>(value) >= range.least &&
             static_cast<std::int64_t>(value) <= range.most;
  else
    inside = static_cast<Wide>(value) >= range.least && static_cast<Wide>(value) <= range.most;
  if (!inside)
    throw FieldError(field, "must be from " + as_text(range.least) + " to " + as_text(range.most) +
                                ", not " + as_text(value));
}

template <class Values, class Limit>
void check_numbers(const char* field, const Values& values, const Range<Limit>& range) {
  for (const auto value : values) check_number(field, value, range);
}

inline void check_numbers(const char* field, const RowMatrix& rows, const Range<double>& range) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    check_numbers(field, std::span<const double>{rows[i], rows.cols()}, range);
}

inline void check_numbers(const char* field, const SampleBuffer& samples,
                          const Range<double>& range) {
  for (std::size_t age = 0; age < samples.size(); ++age)
    check_numbers(field, std::span<const double>{samples.recent(age), samples.dims()}, range);
}

template <class Values>
void check_ascending(const char* field, const Values& values) {
  for (std::size_t i = 1; i < values.size(); ++i)
    require(values[i - 1] < values[i], field, "must be in ascending order");
}

}  // namespace phida::state
