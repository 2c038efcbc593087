// Stages that several tests call, each in one place, since their signatures change with optimisations.
#pragma once

#include <optional>
#include <vector>

#include "metric/feature_transform.hpp"
#include "plain.hpp"
#include "topology/knn_graph.hpp"

namespace phida {

using Members = std::vector<std::int32_t>;

inline FeatureTransform fitted(const RowMatrix& rows, const Members& members) {
  ColumnQuartiles quartiles;
  FeatureTransform transform;
  fit_scaling(rows, members, 0, quartiles, transform);
  fit_center(rows, members, transform);
  return transform;
}

inline FeatureTransform fitted(const RowMatrix& rows) {
  return fitted(rows, plain::first(rows.rows()));
}

// A graph from a builder that may have built others; `stamps` mark the rows that have not moved since.
inline void build_graph(KnnGraphBuilder& builder, const RowMatrix& rows, const Members& members,
                        const std::optional<WeightSource>& weights, KnnGraph& graph,
                        const std::vector<std::int64_t>& stamps = {}) {
  builder.build(rows, members, members.empty() ? FeatureTransform{} : fitted(rows, members),
                weights, stamps, graph);
}

inline KnnGraph graph_over(const RowMatrix& rows, const Members& members,
                           const std::optional<WeightSource>& weights = std::nullopt) {
  KnnGraphBuilder builder;
  KnnGraph graph;
  build_graph(builder, rows, members, weights, graph);
  return graph;
}

}  // namespace phida
