// The learned nodes as a struct of arrays, one entry per node in creation order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nodes/lineage_columns.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

struct NodeState {
  explicit NodeState(std::size_t dims) : representative(dims), mean(dims), m2(dims) {}

  RowMatrix representative;             // y
  RowMatrix mean;                       // Welford mean of the samples that updated the node (not y)
  RowMatrix m2;                         // summed squared deviations of these samples
  std::vector<double> support;          // M, a count (exact in a double)
  std::vector<double> scale;            // s
  std::vector<std::uint8_t> active;     // active for prediction
  std::vector<std::int64_t> birth;      // step of creation
  std::vector<std::int64_t> id;         // creation number, never reused
  std::vector<std::int32_t> component;  // PH component of the last refresh, or kNone

  LineageColumns lineage;

  std::vector<std::int64_t> stamp;  // number of the last change to the node's row; unique
  std::int64_t changes = 0;         // changes to rows so far

  std::size_t size() const { return support.size(); }
  std::size_t dims() const { return representative.cols(); }
};

}  // namespace phida
