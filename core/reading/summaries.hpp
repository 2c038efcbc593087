// What readers ask of a reading beyond labels: summaries of clusters, the hierarchy's leaves, peaks of persistence.
#pragma once

#include <cstdint>
#include <vector>

#include "reading/reading.hpp"

namespace phida {

// Support-weighted means of the representatives of each cluster, in raw space.
RowMatrix cluster_centers(const Reading& reading);

// Share of each cluster in the support of all.
std::vector<double> support_shares(const AssignmentView& view);

// Standard deviation per feature of the samples learned.
std::vector<double> deviations(const Moments& moments, std::size_t dims);

// The metric of the nodes in the map, with its centre.
FeatureTransform centered_metric(const Reading& reading);

// How well rows fit the nodes as they are, without learning them: the same measure as that of the latest samples.
void margins_of(const Reading& reading, const double* rows, std::size_t n, double* margins);

// Margins of the latest samples that those of new rows are compared with. While nodes are rows, each node is left out in
// turn: when it was learned, there were fewer nodes, and it seemed farther from them than a new row like it does now.
const std::vector<double>& usual_margins(const Reading& reading);

// Lengths, in the metric, of the links along which nodes of PHIDA+ join.
std::vector<double> link_lengths(const Reading& reading);

// What merging starts from, one entry a leaf.
struct Leaves {
  std::vector<std::int64_t> node;   // the mode of a component, or the node itself
  std::vector<double> persistence;  // of a component; NaN for a node
  std::vector<double> mass;
  RowMatrix centroid;             // in the metric, relative to its centre
  std::size_t minimum_count = 1;  // the least number of clusters that the rule takes
};
Leaves leaves_of(const Reading& reading);

// Peaks that persistence found: of node support in the PH graph, or of density. Nodes by their index.
struct Peaks {
  std::vector<std::int64_t> node;
  std::vector<double> birth;  // logarithm of its height
  std::vector<double> death;  // of the valley where it met a higher one; -infinity if it never did
  std::vector<std::int64_t> partner;  // the peak that it met there, or -1
  std::vector<std::int64_t> input;    // the nodes that took part
  std::vector<std::int64_t>
      base;                    // per node of `input`, the peak of its tree when it joined, or -1
  double threshold = 0.0;      // PHIDA: peaks that persist less are not counted
  std::vector<double> chance;  // PHIDA+: the same per peak
  std::vector<std::int64_t>
      scale;  // PHIDA+: per peak, neighbours that densities were measured over
};
Peaks peaks_of(const Reading& reading);

}  // namespace phida
