// The fine nodes of PHIDA+ as a struct of arrays (spec section 12). Up to a budget of them summarise all rows.
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

  RowMatrix mean;     // mu, of the node's rows
  RowMatrix scatter;  // s, per feature: summed squared deviations of the rows from the mean
  std::vector<double> weight;  // w, of the rows
  std::vector<double>
      credit;  // c: squared distance that rows have run up since the node last got help
  std::vector<std::int64_t> birth;  // rows learned when it was created
  std::vector<std::int64_t> id;     // creation number, never reused

  // A row that the node has seen, and its number; those of the heavier one where nodes merge. Empty if none are kept.
  RowMatrix example;
  std::vector<std::int64_t> example_row;  // kNone where it came from another model

  LineageColumns lineage;
  // Where the node belongs in the last map: its place among the nodes of the map. For newer nodes that of their winner.
  std::vector<std::int32_t> leaf;
  // Of a node in a place that is new to the last map: squared distance of the first one there to all others. Else 0.
  std::vector<double> gap;
  // Usual squared distance of a new node there to its winner.
  std::vector<double> spacing;

  std::size_t size() const { return weight.size(); }
  std::size_t dims() const { return mean.cols(); }

  // A node of one row.
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

  // Whether the last map knows the place.
  bool placed(std::size_t node) const { return gap[node] == 0.0; }

  // Keeps the nodes named in `kept` (ascending) and their order.
  void keep(std::span<const std::size_t> kept) {
    mean.keep(kept);
    scatter.keep(kept);
    const auto compact = [&](auto& values) {
      for (std::size_t to = 0; to < kept.size(); ++to) values[to] = values[kept[to]];
      values.resize(kept.size());
    };
    compact(weight);
    compact(credit);
    compact(birth);
    compact(id);
    compact(leaf);
    compact(gap);
    compact(spacing);
    lineage.keep(kept);
    if (!keeps_examples()) return;
    example.keep(kept);
    compact(example_row);
  }
};

// Everything that matching and learning of PHIDA+ depend on. Sums over rows (weights, scatters, credits, the allowance)
// are in units of the first row. A row counts `unit` of them, which grows if rows fade.
struct FineState {
  explicit FineState(std::size_t dims) : nodes(dims) {
    metric.inverse.assign(padded(dims), 0.0);
    std::fill_n(metric.inverse.begin(), dims, 1.0);
  }

  FineNodes nodes;
  FeatureTransform metric;  // without a centre
  bool compacted = false;   // at least once: from then on only compactions renew the metric
  double allowance = 0.0;   // f: squared distance that the rows of a node may run up
  double unit = 1.0;
};

// Mean and summed squared deviations of all rows per feature, and their weight, in units.
struct Spread {
  double weight = 0.0;
  std::vector<double> mean;
  std::vector<double> squares;
};
Spread spread_of(const FineNodes& nodes);

// Standard deviation of all rows per feature, but for a few wild ones; 0 where a feature does not vary.
std::vector<double> deviations(const FineNodes& nodes);

}  // namespace phida
