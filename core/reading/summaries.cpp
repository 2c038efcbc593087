#include "reading/summaries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assignment/assign.hpp"
#include "nodes/fit_margins.hpp"
#include "nodes/recent_margins.hpp"
#include "numeric/squares.hpp"

namespace phida {
namespace {

std::int64_t as_node(const PhView& ph, std::int32_t vertex) {
  return vertex < 0 ? kNone : ph.members[vertex];
}

// Margins of the latest nodes. Samples that share a node have margin zero to each other.
std::vector<double> left_out_margins(const Reading& reading) {
  const RowMatrix& at = reading.nodes.representative;
  const std::size_t n = std::min(at.rows(), kMostMargins), first = at.rows() - n;
  std::vector<double> found(n);
  std::vector<double> rows;
  for (std::size_t i = first; i < at.rows(); ++i) rows.insert(rows.end(), at[i], at[i] + at.cols());
  Assigner(reading.view).second_squares(rows.data(), n, found.data());
  for (std::size_t i = 0; i < n; ++i)
    found[i] = reading.nodes.lineage.won[first + i] > 1 ? 0.0 : margin_at(found[i]);
  return found;
}

Leaves component_leaves(const Reading& reading) {
  const PhView& ph = reading.ph;
  ComponentHierarchy hierarchy = ph.hierarchy;
  center_centroids(reading.nodes.representative, reading.view.member, hierarchy);
  Leaves leaves;
  for (const std::int32_t mode : ph.components.mode) leaves.node.push_back(as_node(ph, mode));
  leaves.persistence = ph.components.persistence;
  leaves.mass = ph.mass.component;
  leaves.centroid = std::move(hierarchy.centroid);
  leaves.minimum_count = ph.mass.minimum_count;
  return leaves;
}

Leaves node_leaves(const Reading& reading) {
  const NodeState& nodes = reading.nodes;
  const FeatureTransform transform = centered_metric(reading);
  Leaves leaves;
  leaves.centroid = RowMatrix(nodes.dims());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (reading.map.leaf[i] == kNone) continue;
    leaves.node.push_back(static_cast<std::int64_t>(i));
    leaves.mass.push_back(nodes.support[i]);
    leaves.centroid.append(nodes.representative[i]);
    double* const row = leaves.centroid[leaves.centroid.rows() - 1];
    for (std::size_t j = 0; j < nodes.dims(); ++j)
      row[j] = (row[j] - transform.center[j]) * transform.inverse[j];
  }
  leaves.persistence.assign(leaves.node.size(), std::numeric_limits<double>::quiet_NaN());
  return leaves;
}

// A mode is a node that is the root of its own tree when activated.
Peaks support_peaks(const PhView& ph) {
  Peaks peaks;
  for (std::size_t v = 0; v < ph.members.size(); ++v) {
    peaks.input.push_back(ph.members[v]);
    peaks.base.push_back(as_node(ph, ph.persistence.base[v]));
    if (ph.persistence.base[v] != static_cast<std::int32_t>(v)) continue;
    peaks.node.push_back(ph.members[v]);
    peaks.birth.push_back(ph.persistence.birth[v]);
    peaks.death.push_back(ph.persistence.death[v]);
    peaks.partner.push_back(as_node(ph, ph.persistence.partner[v]));
  }
  peaks.threshold = ph.components.threshold;
  return peaks;
}

Peaks density_peaks(const DensityMap& density) {
  Peaks peaks;
  for (std::size_t i = 0; i < density.base.size(); ++i) {
    peaks.input.push_back(static_cast<std::int64_t>(i));
    peaks.base.push_back(density.base[i]);
  }
  for (const DensityPeak& peak : density.peaks) {
    peaks.node.push_back(peak.node);
    peaks.birth.push_back(peak.birth);
    peaks.death.push_back(peak.death);
    peaks.partner.push_back(peak.partner);
    peaks.chance.push_back(peak.chance);
    peaks.scale.push_back(peak.scale);
  }
  return peaks;
}

}  // namespace

RowMatrix cluster_centers(const Reading& reading) {
  const NodeState& nodes = reading.nodes;
  RowMatrix centers(nodes.dims());
  centers.resize(reading.view.n_clusters());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = reading.cluster[i];
    if (c == kNone) continue;
    const double share = nodes.support[i] / reading.view.cluster_support[c];
    for (std::size_t j = 0; j < nodes.dims(); ++j)
      centers[c][j] += share * nodes.representative[i][j];
  }
  return centers;
}

std::vector<double> support_shares(const AssignmentView& view) {
  std::vector<double> share = view.cluster_support;
  double total = 0.0;
  for (const double s : share) total += s;
  for (double& s : share) s /= total;
  return share;
}

std::vector<double> deviations(const Moments& moments, std::size_t dims) {
  std::vector<double> deviation;
  for (std::size_t j = 0; j < dims; ++j)
    deviation.push_back(std::sqrt(moments.m2[j] / std::max(moments.count - 1.0, 1.0)));
  return deviation;
}

FeatureTransform centered_metric(const Reading& reading) {
  FeatureTransform transform = reading.view.transform;
  fit_center(reading.nodes.representative, reading.view.member, transform);
  return transform;
}

void margins_of(const Reading& reading, const double* rows, std::size_t n, double* margins) {
  if (reading.map.leaves == Leaf::kComponent)
    return fit_margins(reading.nodes, reading.moments, reading.vigilance, rows, n, margins);
  Assigner(reading.view).nearest_squares(rows, n, margins);
  std::transform(margins, margins + n, margins, margin_at);
}

const std::vector<double>& usual_margins(const Reading& reading) {
  if (!reading.nodes_are_rows) return reading.margins;
  std::call_once(reading.usual->made,
                 [&reading] { reading.usual->margins = left_out_margins(reading); });
  return reading.usual->margins;
}

std::vector<double> link_lengths(const Reading& reading) {
  const RowMatrix& at = reading.nodes.representative;
  std::vector<double> lengths;
  for (const Link& link : reading.density.link)
    lengths.push_back(std::sqrt(
        square_in_order(at[link.a], at[link.b], reading.map.transform.scaling(), at.cols())));
  return lengths;
}

Leaves leaves_of(const Reading& reading) {
  return reading.map.leaves == Leaf::kComponent ? component_leaves(reading) : node_leaves(reading);
}

Peaks peaks_of(const Reading& reading) {
  return reading.map.leaves == Leaf::kComponent ? support_peaks(reading.ph)
                                                : density_peaks(reading.density);
}

}  // namespace phida
