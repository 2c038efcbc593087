// The learned nodes as a struct of arrays, one entry per node in creation order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "nodes/pair_statistics.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

constexpr std::int32_t kNone = -1;

struct NodeState {
  explicit NodeState(std::size_t dims) : representative(dims), mean(dims), m2(dims) {}

  RowMatrix representative;             // y
  RowMatrix mean;                       // Welford mean of the samples that updated the node (not y)
  RowMatrix m2;                         // their summed squared deviations
  std::vector<double> support;          // M, a count (exact in a double)
  std::vector<double> scale;            // s
  std::vector<std::uint8_t> active;     // active for prediction
  std::vector<std::int64_t> birth;      // step of creation
  std::vector<std::int64_t> id;         // creation number, never reused
  std::vector<std::int32_t> component;  // PH component of the last refresh, or kNone

  PairStatistics pairs;  // of all nodes in PHIDA+, else of none; learning does not look at it

  // Names of output clusters; learning does not look at them.
  std::vector<std::int64_t> cluster_id;  // the confirmed cluster, or kNone
  std::vector<std::int64_t>
      parent_id;  // the confirmed cluster that the node came next to, or kNone
  std::vector<std::int64_t> candidate;   // the candidate that it belongs to, or kNone
  std::vector<std::int64_t> won;         // samples won, and those of removed nodes nearest to it
  std::vector<std::int64_t> won_mapped;  // of those, before the last mapping
  std::vector<double> recent;            // samples won, those before each mapping counting half
  std::vector<std::int64_t> away;  // samples won since mappings show the node in another cluster

  std::vector<std::int64_t>
      stamp;                 // number of the last change to the node's row; no two nodes share one
  std::int64_t changes = 0;  // changes to rows so far

  std::size_t size() const { return support.size(); }
  std::size_t dims() const { return representative.cols(); }

  // Nodes that have learned one sample.
  std::size_t n_single() const {
    return static_cast<std::size_t>(
        std::count_if(support.begin(), support.end(), [](double m) { return m <= 1.0; }));
  }
};

}  // namespace phida
