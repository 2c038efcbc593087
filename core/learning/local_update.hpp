// The update of a worker: its rows matched against nodes that do not move. Not in the paper; the rules are in
// docs/decisions/partitions.md.
//
// The vigilance continues over the worker's rows as over a stream. Rows that pass its test add to the statistics of
// their winner, and of their runner-up if that would learn too. Rows that fail, and a sample of all rows, are kept
// unchanged in the update, to be learned in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/moments.hpp"
#include "nodes/far_samples.hpp"
#include "nodes/node_state.hpp"
#include "nodes/sample_buffer.hpp"
#include "nodes/vigilance.hpp"

namespace phida {

// Vigilance with what it goes on from.
struct VigilanceState {
  explicit VigilanceState(std::size_t dims) : samples(dims) {}

  Vigilance vigilance;
  FarSamples far;  // only in PHIDA+
  SampleBuffer samples;
  std::size_t since_recalculation = 0;
};

// The part of a model that rows are matched against.
struct FrozenModel {
  const NodeState& nodes;
  const Moments& moments;
  bool gate = false;           // runner-ups learn only inside their winner's component
  double ratio = 0.0;          // clusters per node
  std::size_t max_nodes = 0;   // 0: no limit; else the interval is not longer
  const VigilanceState& from;  // where every worker begins
  bool plus = false;
  std::int64_t unit = 1;  // what a sample counts in the pair statistics
};

// What a row was judged by.
struct Thresholds {
  double vigilance = 0.0;
  double log_theta = FarSamples::kAbsent;
};

// One entry per node that any counted row won or came second at, ascending.
struct NodeStatistics {
  explicit NodeStatistics(std::size_t dims) : mean(dims), m2(dims), pull(dims) {}

  std::vector<std::int32_t> node;
  std::vector<double> count;  // rows that updated it, as winner or as runner-up
  std::vector<double> wins;   // of these, as winner
  std::vector<double> marks;  // rows that would have tested it for activity
  RowMatrix mean;             // of the rows that updated it
  RowMatrix m2;
  RowMatrix pull;  // sum of gain * (row - representative)

  std::size_t size() const { return node.size(); }
};

// Identifies a state of a model. Two states with equal marks are assumed to be the same.
struct StateMark {
  std::int64_t n_seen = 0;
  std::int64_t n_created = 0;
  std::int64_t n_nodes = 0;

  bool operator==(const StateMark&) const = default;
};

struct LocalUpdate {
  explicit LocalUpdate(std::size_t dims)
      : nodes(dims), moments(dims), rest(dims), vigilance(dims) {}

  StateMark made_against;
  bool plus = false;
  NodeStatistics nodes;
  Moments moments;                // of the rows counted in them
  PairStatistics pairs;           // of the rows counted; only in PHIDA+
  RowMatrix rest;                 // the other rows, in their order
  std::vector<double> threshold;  // per row of the rest: the vigilance that it met
  std::vector<double> log_theta;  // and the threshold of far samples, or kAbsent
  std::vector<double> margins;    // of the last rows, all kinds, at most kMostMargins
  VigilanceState vigilance;       // after all rows

  std::size_t counted() const { return static_cast<std::size_t>(moments.count); }
  std::size_t n_rows() const { return counted() + rest.rows(); }
};

// Matches `n` rows in the metric that all nodes define. `sample` of them are left in the rest whatever their match: one
// out of each of `sample` equal stretches, at a place that `seed` decides. With fewer than three nodes, all rows are
// left in the rest.
LocalUpdate local_update(const FrozenModel& model, const double* rows, std::size_t n,
                         std::size_t sample, std::uint64_t seed);

// Adds the statistics of the updates, in their order, to the nodes that all of them were counted against. If every gain
// is 1, supports, moments and representatives are those of learning the rows, up to rounding.
void fold_nodes(std::span<const LocalUpdate> updates, NodeState& nodes);

// The moments of two sets together, from those of each.
void fold_moments(const Moments& more, Moments& moments);

}  // namespace phida
