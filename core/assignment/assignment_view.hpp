// Everything that prediction needs (spec section 9).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/node_map.hpp"
#include "metric/feature_transform.hpp"
#include "numeric/blocked_rows.hpp"
#include "search/grid_rows.hpp"

namespace phida {

struct AssignmentView {
  FeatureTransform transform;           // of the representatives in the view
  BlockedRows rows;                     // the representatives, ordered by cluster
  std::vector<double> support;          // in the order of `rows`
  std::vector<std::int32_t> member;     // node of each row
  std::vector<std::int32_t> first;      // first row of each cluster, and the end
  std::vector<double> cluster_support;  // S_c
  double concentration = 1.0;           // q = sum of squared support shares
  Scoring scoring = Scoring::kPublished;
  GridRows grid;  // the rows on a grid, if labels are those of the nearest of many

  std::size_t dims() const { return rows.dims(); }
  std::size_t n_clusters() const { return cluster_support.size(); }
};

// `cluster` is 0 .. n_clusters - 1, none empty, or -1 per node; metric and scoring are those of `map`.
AssignmentView make_view(const RowMatrix& representatives, std::span<const double> support,
                         std::span<const std::int32_t> cluster, std::size_t n_clusters,
                         const NodeMap& map);

}  // namespace phida
