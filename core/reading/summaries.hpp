// Answers of a reading besides labels: summaries of clusters, leaves of the hierarchy, peaks of persistence.
#pragma once

#include <cstdint>
#include <vector>

#include "reading/reading.hpp"

namespace phida {

// Support-weighted means of the representatives of each cluster, in raw space.
RowMatrix cluster_centers(const Reading& reading);

// Share of each cluster in the total support.
std::vector<double> support_shares(const AssignmentView& view);

// Standard deviation per feature of the learned samples.
std::vector<double> deviations(const Moments& moments, std::size_t dims);

// The metric of the nodes in the map, with its centre.
FeatureTransform centered_metric(const Reading& reading);

// How well rows fit the current nodes, without learning them: the measure of the latest samples' margins.
void margins_of(const Reading& reading, const double* rows, std::size_t n, double* margins);

// Margins of the latest samples, for comparison with new rows. As long as nodes are rows, each node is left out in
// turn: when it was learned, there were fewer nodes, so its distance was comparable to a new row's now.
const std::vector<double>& usual_margins(const Reading& reading);

// Lengths, in the metric, of the links that join nodes of PHIDA+.
std::vector<double> link_lengths(const Reading& reading);

// The leaves of the hierarchy, one entry each.
struct Leaves {
  std::vector<std::int64_t> node;   // the mode of a component, or the node itself
  std::vector<double> persistence;  // of the component; NaN for a node
  std::vector<double> mass;
  RowMatrix centroid;             // in the metric, relative to its centre
  std::size_t minimum_count = 1;  // minimum number of clusters of the rule
};
Leaves leaves_of(const Reading& reading);

// Peaks found by persistence: of node support in the PH graph, or of density. Nodes are given by index.
struct Peaks {
  std::vector<std::int64_t> node;
  std::vector<double> birth;  // logarithm of its height
  // log height of the valley where it met a higher peak; -infinity if it never did
  std::vector<double> death;
  std::vector<std::int64_t> partner;  // that higher peak, or -1
  std::vector<std::int64_t> input;    // the nodes in the persistence
  std::vector<std::int64_t>
      base;                    // per node of `input`, the peak of its tree when activated, or -1
  double threshold = 0.0;      // PHIDA: peaks of lower persistence do not count
  std::vector<double> chance;  // PHIDA+: threshold of each peak
  std::vector<std::int64_t> scale;  // PHIDA+: neighbours per density, for each peak
};
Peaks peaks_of(const Reading& reading);

}  // namespace phida
