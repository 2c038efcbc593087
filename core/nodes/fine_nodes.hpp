// The fine nodes of PHIDA+ as a struct of arrays (spec section 12). Up to a budget of them summarise all rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metric/feature_transform.hpp"
#include "nodes/lineage_columns.hpp"
#include "numeric/row_matrix.hpp"

namespace phida {

struct FineNodes {
  explicit FineNodes(std::size_t dims) : mean(dims), scatter(dims) {}

  RowMatrix mean;     // mu, of the node's rows
  RowMatrix scatter;  // s, per feature: summed squared deviations of the rows from the mean
  std::vector<double> weight;  // w, of the rows
  std::vector<double>
      credit;  // c: squared distance that rows have run up since the node last got help
  std::vector<std::int64_t> birth;  // rows learned when it was created
  std::vector<std::int64_t> id;     // creation number, never reused

  LineageColumns lineage;
  // Cluster at the last mapping. For newer nodes that of their winner, or kNone in a new place.
  std::vector<std::int32_t> label;
  // Of a new place: squared distance of its first node to all nodes that there were.
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
    label.push_back(0);
    gap.push_back(0.0);
    spacing.push_back(0.0);
  }

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
    compact(label);
    compact(gap);
    compact(spacing);
    lineage.keep(kept);
  }
};

// Everything that matching and learning of PHIDA+ depend on. Sums over rows (weights, scatters, credits, the allowance)
// are in units of the first row. A row counts `unit` of them, which grows if rows fade.
struct FineState {
  explicit FineState(std::size_t dims) : nodes(dims) {}

  FineNodes nodes;
  FeatureTransform metric;  // without a centre; empty before the first compaction
  bool metric_present = false;
  double allowance = 0.0;  // f: squared distance that the rows of a node may run up
  double unit = 1.0;

  const double* scaling() const { return metric_present ? metric.scaling() : nullptr; }
};

// Mean and summed squared deviations of all rows per feature, and their weight, in units.
struct Spread {
  double weight = 0.0;
  std::vector<double> mean;
  std::vector<double> squares;

  std::vector<double> deviations() const;
};
Spread spread_of(const FineNodes& nodes);

}  // namespace phida
