// The fine nodes of PHIDA+ as a struct of arrays (spec section 12). At most a budget of them summarises all rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/feature_transform.hpp"
#include "nodes/lineage_columns.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

struct FineNodes {
  explicit FineNodes(std::size_t dims) : mean(dims), scatter(dims), example(dims) {}

  RowMatrix mean;     // mu, mean of the node's rows
  RowMatrix scatter;  // s, per feature: summed squared deviations of the rows from the mean
  std::vector<double> weight;  // w, weight of the rows
  std::vector<double>
      credit;  // c: squared distances of rows since a node was last created next to it
  std::vector<std::int64_t> birth;  // rows learned when it was created
  std::vector<std::int64_t> id;     // creation number, never reused

  // A row won by the node, and its number; merged nodes keep those of the heavier one. Empty if none are kept.
  RowMatrix example;
  std::vector<std::int64_t> example_row;  // kNone if it came from another model

  LineageColumns lineage;
  // Leaf of the last map to which the node belongs; newer nodes have that of their winner.
  std::vector<std::int32_t> leaf;
  // For a node in a place new to the last map: squared distance of the first node there to all others. Otherwise 0.
  std::vector<double> gap;
  // Usual squared distance between a new node there and its winner.
  std::vector<double> spacing;

  std::size_t size() const { return weight.size(); }
  std::size_t dims() const { return mean.cols(); }

  // Appends a node of one row.
  void append(const double* row, double rows, std::int64_t step, std::int64_t number) {
    mean.append(row);
    scatter.resize(scatter.rows() + 1);
    weight.push_back(rows);
    credit.push_back(0.0);
    birth.push_back(step);
    id.push_back(number);
    lineage.append();
    leaf.push_back(0);
    gap.push_back(0.0);
    spacing.push_back(0.0);
  }

  bool keeps_examples() const { return !example_row.empty(); }
  void append_example(const double* row, std::int64_t number) {
    example.append(row);
    example_row.push_back(number);
  }

  // Whether the last map contains the place.
  bool placed(std::size_t node) const { return gap[node] == 0.0; }

  // Keeps only the nodes listed in `kept` (ascending), in order.
  void keep(std::span<const std::size_t> kept) {
    mean.keep(kept);
    scatter.keep(kept);
    keep_values(weight, kept);
    keep_values(credit, kept);
    keep_values(birth, kept);
    keep_values(id, kept);
    keep_values(leaf, kept);
    keep_values(gap, kept);
    keep_values(spacing, kept);
    lineage.keep(kept);
    if (!keeps_examples()) return;
    example.keep(kept);
    keep_values(example_row, kept);
  }
};

// All state of matching and learning of PHIDA+. Sums over rows (weights, scatters, credits, the allowance) are in
// units of the first row. A row counts `unit` of them, which grows if rows fade.
struct FineState {
  explicit FineState(std::size_t dims) : nodes(dims) {
    metric.inverse.assign(padded(dims), 0.0);
    std::fill_n(metric.inverse.begin(), dims, 1.0);
  }

  FineNodes nodes;
  FeatureTransform metric;  // without a centre
  // whether there was a compaction: from then on only compactions renew the metric
  bool compacted = false;
  double allowance = 0.0;  // f: squared distance that the rows of a node may add up to
  double unit = 1.0;
};

// Mean and summed squared deviations of all rows per feature, and their weight, in units.
struct Spread {
  double weight = 0.0;
  std::vector<double> mean;
  std::vector<double> squares;
  std::vector<double> inside;  // the part of `squares` that is inside nodes
  std::vector<double>
      farthest;  // about the largest mean square of a node's rows, from the mean of all
};
Spread spread_of(const FineNodes& nodes);

// Standard deviation of all rows per feature, without a few wild ones; 0 for a constant feature.
std::vector<double> deviations(const FineNodes& nodes, const Spread& all);

}  // namespace phida
