// Streams of samples, and a learner's entire state as words to compare.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"
#include "random.hpp"

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

class Words {
 public:
  void add(double x) { words.push_back(std::bit_cast<std::uint64_t>(x)); }
  template <class T>
  void add_count(T x) {
    words.push_back(static_cast<std::uint64_t>(x));
  }
  template <class Values>
  void add_all(const Values& values) {
    add_count(values.size());
    for (const auto x : values) {
      if constexpr (std::is_same_v<decltype(x), const double>)
        add(x);
      else
        add_count(x);
    }
  }
  void add_rows(const RowMatrix& rows) {
    add_count(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (std::size_t j = 0; j < rows.cols(); ++j) add(rows[i][j]);
  }
  void add_nodes(const NodeState& nodes) {
    add_rows(nodes.representative);
    add_rows(nodes.mean);
    add_rows(nodes.m2);
    add_all(nodes.support);
    add_all(nodes.scale);
    add_all(nodes.active);
    add_all(nodes.birth);
    add_all(nodes.id);
    add_all(nodes.component);
  }

  void add_map(const DensityMap& map) {
    add_count(map.map.level);
    for (const Merge& merge : map.map.merges) {
      add_count(merge.into);
      add_count(merge.from);
      add(merge.height);
    }
    for (const Link& link : map.link) {
      add_count(link.a);
      add_count(link.b);
    }
    for (const DensityPeak& peak : map.peaks) {
      add_count(peak.node);
      add(peak.birth);
      add(peak.chance);
    }
    add_all(map.base);
  }

  template <class State>
  void add_lineage(const State& s) {
    const LineageColumns& nodes = s.nodes.lineage;
    add_all(nodes.cluster_id);
    add_all(nodes.parent_id);
    add_all(nodes.candidate);
    add_all(nodes.won);
    add_all(nodes.won_mapped);
    add_all(nodes.recent);
    add_all(nodes.away);
    for (const Candidate& c : s.lineage.candidates) add_count(c.evidence);
    for (const auto count : {s.lineage.n_ids, s.lineage.n_dropped, s.history.n_refreshes})
      add_count(count);
    for (const LivingCluster& c : s.lineage.living) {
      add_count(c.id);
      add(c.support);
      add(c.rate_won);
      add(c.missed);
    }
    for (const Event& event : s.lineage.events) {
      add_count(event.kind);
      add_count(event.sample);
      add_count(event.confirmed);
      add_all(event.before);
      add_all(event.after);
      add(event.support);
    }
    for (const Milestone& m : s.history.milestones) {
      for (const auto count : {m.n_nodes, m.n_components, m.n_clusters, m.interval})
        add_count(count);
      add_count(m.sample);
      add(m.vigilance);
    }
    add_all(s.margins.values);
  }

  std::vector<std::uint64_t> words;
};

// All state that influences the next sample, to the bit.
inline Words learned_words_of(const LearnerState& s) {
  Words w;
  w.add_nodes(s.nodes);
  w.add(s.moments.count);
  w.add_all(s.moments.mean);
  w.add_all(s.moments.m2);
  w.add_count(s.samples.size());
  w.add_count(s.samples.kept());
  for (std::size_t age = 0; age < s.samples.size(); ++age)
    for (std::size_t j = 0; j < s.nodes.dims(); ++j) w.add(s.samples.recent(age)[j]);
  w.add_count(s.vigilance.interval);
  w.add(s.vigilance.threshold);
  w.add(s.vigilance.ratio);
  w.add_count(s.metric.present);
  if (s.metric.present) {
    w.add_all(s.metric.transform.center);
    w.add_all(s.metric.transform.inverse);
    w.add(s.metric.transform.gamma);
    w.add_count(s.metric.at_step);
    w.add_rows(s.transformed);
  }
  for (const auto count : {s.n_seen, s.n_created}) w.add_count(count);
  for (const auto count : {s.since_recalculation, s.since_refresh, s.n_components, s.n_clusters})
    w.add_count(count);
  w.add_count(s.has_map);
  w.add_count(s.ended);
  return w;
}

// The entire state, to the bit.
inline std::vector<std::uint64_t> words_of(const LearnerState& s) {
  Words w = learned_words_of(s);
  w.add_lineage(s);
  return w.words;
}

inline void add_fine(Words& w, const FineState& s) {
  w.add_rows(s.nodes.mean);
  w.add_rows(s.nodes.scatter);
  w.add_all(s.nodes.weight);
  w.add_all(s.nodes.credit);
  w.add_count(s.compacted);
  w.add_all(s.metric.inverse);
  for (const double x : {s.metric.gamma, s.allowance, s.unit}) w.add(x);
}

inline std::vector<std::uint64_t> words_of(const PlusState& s) {
  Words w;
  add_fine(w, s);
  w.add_all(s.nodes.birth);
  w.add_all(s.nodes.id);
  w.add_all(s.nodes.gap);
  w.add_all(s.nodes.spacing);
  w.add_all(s.nodes.leaf);
  w.add_map(s.map);
  for (const auto count : {s.n_seen, s.n_created, s.mapped_at}) w.add_count(count);
  w.add(s.unplaced);
  w.add_count(s.ended);
  w.add_lineage(s);
  return w.words;
}

// The contents of a reading, to the bit.
inline std::vector<std::uint64_t> words_of(const Reading& r) {
  Words w;
  w.add_nodes(r.nodes);
  w.add_all(r.cluster);
  w.add_all(r.ph.members);
  w.add_all(r.ph.graph.edges.neighbour);
  w.add_all(r.ph.graph.edges.length);
  w.add_all(r.ph.persistence.value);
  w.add_all(r.ph.components.component);
  w.add_all(r.ph.mass.component);
  w.add_rows(r.ph.hierarchy.centroid);
  for (const Merge& merge : r.ph.hierarchy.merges) w.add(merge.height);
  w.add_count(r.ph.hierarchy.level);
  for (const Merge& merge : r.map.merges) w.add(merge.height);
  w.add_all(r.density.base);
  w.add_all(r.view.member);
  w.add_all(r.view.cluster_support);
  w.add_all(r.view.transform.inverse);
  w.add(r.view.concentration);
  return w.words;
}

}  // namespace phida
