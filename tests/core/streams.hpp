// Streams of samples, and a learner's entire state as words to compare.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"
#include "random.hpp"
#include "state/fields.hpp"

namespace phida {

struct Stream {
  std::size_t dims = 0;
  std::vector<double> values;  // row by row, without padding

  std::size_t size() const { return values.size() / dims; }
  const double* operator[](std::size_t i) const { return values.data() + i * dims; }
};

// Groups around random centres, on features whose scales differ by `spread`^(0 ... 1).
inline Stream blobs(std::uint64_t seed, std::size_t n, std::size_t dims, std::size_t groups,
                    double spread = 1.0) {
  Random random(seed);
  std::vector<double> centres(groups * dims);
  for (double& c : centres) c = random.uniform(-10.0, 10.0);
  Stream stream{dims, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t group = random.below(groups);
    for (std::size_t j = 0; j < dims; ++j)
      stream.values.push_back((centres[group * dims + j] + random.normal()) *
                              std::pow(spread, static_cast<double>(j) / static_cast<double>(dims)));
  }
  return stream;
}

// Zeros and ones: ties everywhere.
inline Stream binary(std::uint64_t seed, std::size_t n, std::size_t dims) {
  Random random(seed);
  Stream stream{dims, {}};
  for (std::size_t i = 0; i < n * dims; ++i) stream.values.push_back(random.below(4) == 0);
  return stream;
}

template <class L>
void learn(L& learner, const Stream& stream, std::size_t from = 0, std::size_t to = SIZE_MAX) {
  for (std::size_t i = from; i < std::min(to, stream.size()); ++i) learner.learn(stream[i]);
}

template <class L = Learner>
L learner_of(const Stream& stream,
             const std::remove_cvref_t<decltype(std::declval<L>().settings())>& settings) {
  L learner(settings);
  learn(learner, stream);
  return learner;
}

// An archive that turns fields into words: see state/fields.hpp.
class Words {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void add(T x) {
    if constexpr (std::is_same_v<T, double>)
      words.push_back(std::bit_cast<std::uint64_t>(x));
    else
      words.push_back(static_cast<std::uint64_t>(x));
  }
  template <class Values>
  void add_all(const Values& values) {
    add(values.size());
    for (const auto x : values) add(x);
  }
  void add_rows(const RowMatrix& rows) {
    add(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t j = 0; j < rows.cols(); ++j) add(rows[i][j]);
  }

  template <class T, class Limit>
  void field(const char*, const T& value, const Limit&) {
    add(value);
  }
  template <class Values, class Limit>
  void column(const char*, const Values& values, std::size_t, const Limit&) {
    add_all(values);
  }
  template <class Limit>
  void rows(const char*, const RowMatrix& matrix, std::size_t, const Limit&) {
    add_rows(matrix);
  }
  template <class Limit>
  void features(const char*, const AlignedDoubles& row, const Limit&) {
    add_all(row);
  }
  template <class Limit>
  void samples(const char*, const SampleBuffer& buffer, const Limit&) {
    add(buffer.size());
    for (std::size_t age = 0; age < buffer.size(); ++age)
      for (std::size_t j = 0; j < buffer.stride(); ++j) add(buffer.recent(age)[j]);
  }

  std::vector<std::uint64_t> words;
};

// The entire state, to the bit.
inline std::vector<std::uint64_t> words_of(const LearnerState& s) {
  Words w;
  state::state_fields(w, Settings{.released = true, .switches = {}},
                      s);  // with cached rows, if any
  return w.words;
}

inline std::vector<std::uint64_t> words_of(const PlusState& s) {
  Words w;
  state::plus_state_fields(w, s);
  return w.words;
}

// The contents of a reading, to the bit.
inline std::vector<std::uint64_t> words_of(const Reading& r) {
  Words w;
  state::node_fields(w, r.nodes, 0);
  w.add_all(r.cluster);
  w.add_all(r.ph.members);
  w.add_all(r.ph.graph.edges.neighbour);
  w.add_all(r.ph.graph.edges.length);
  w.add_all(r.ph.persistence.value);
  w.add_all(r.ph.components.component);
  w.add_all(r.ph.mass.component);
  w.add_rows(r.ph.hierarchy.centroid);
  for (const Merge& merge : r.ph.hierarchy.merges) w.add(merge.height);
  w.add(r.ph.hierarchy.level);
  for (const Merge& merge : r.map.merges) w.add(merge.height);
  w.add_all(r.density.base);
  w.add_all(r.view.member);
  w.add_all(r.view.cluster_support);
  w.add_all(r.view.transform.inverse);
  w.add(r.view.concentration);
  return w.words;
}

}  // namespace phida
