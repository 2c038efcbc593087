#include "reading/examples.hpp"

#include <algorithm>

#include "numeric/squares.hpp"

namespace phida {
namespace {

struct Shown {
  std::int32_t cluster;
  double square;
  std::size_t node;
};

RowMatrix centers_of(const FineNodes& nodes, std::span<const std::int32_t> cluster, std::size_t n) {
  std::vector<double> weight(n, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) weight[cluster[i]] += nodes.weight[i];
  RowMatrix center(nodes.dims());
  center.resize(n);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < nodes.dims(); ++j)
      center[cluster[i]][j] += nodes.weight[i] / weight[cluster[i]] * nodes.mean[i][j];
  return center;
}

}  // namespace

Examples examples_of(const FineState& state, std::span<const std::int32_t> cluster,
                     std::size_t count) {
  const FineNodes& nodes = state.nodes;
  Examples examples(nodes.dims());
  if (!nodes.keeps_examples()) return examples;
  const auto n = static_cast<std::size_t>(1 + *std::max_element(cluster.begin(), cluster.end()));
  const RowMatrix center = centers_of(nodes, cluster, n);
  std::vector<Shown> all;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    all.push_back({cluster[i],
                   square_in_order(nodes.example[i], center[cluster[i]], state.metric.scaling(),
                                   nodes.dims()),
                   i});
  std::sort(all.begin(), all.end(), [](const Shown& a, const Shown& b) {
    if (a.cluster != b.cluster) return a.cluster < b.cluster;
    return a.square != b.square ? a.square < b.square : a.node < b.node;
  });
  std::vector<std::size_t> taken(n, 0);
  for (const Shown& shown : all) {
    if (taken[shown.cluster]++ >= count) continue;
    examples.cluster.push_back(shown.cluster);
    examples.row.push_back(nodes.example_row[shown.node]);
    examples.values.append(nodes.example[shown.node]);
  }
  return examples;
}

}  // namespace phida
