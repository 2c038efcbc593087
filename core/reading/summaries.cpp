#include "reading/summaries.hpp"

#include <cmath>
#include <limits>

#include "numeric/elementary.hpp"

namespace phida {
namespace {

std::int64_t as_node(const PhView& ph, std::int32_t vertex) {
  return vertex < 0 ? kNone : ph.members[vertex];
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

// A mode is a node that heads its own tree once it is activated.
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

// A member is no peak where its first valley is as high as itself. Members without edges stand alone and have no height.
Peaks flow_peaks(const Reading& reading) {
  const Flow& flow = reading.flow.flow;
  const FlowGroups groups =
      reading.flow.groups.height.empty()
          ? find_groups(reading.nodes.representative, flow, reading.map.transform)
          : reading.flow.groups;
  const std::size_t n = flow.members.size();
  std::vector<const FlowMerge*> end(n, nullptr);
  for (const FlowMerge& merge : groups.merges) end[merge.peak] = &merge;
  const auto is_peak = [&](std::size_t v) {
    return end[v] == nullptr || end[v]->valley_height < end[v]->peak_height;
  };
  Peaks peaks;
  for (std::size_t v = 0; v < n; ++v) {
    std::size_t base = v;
    while (!is_peak(base)) base = static_cast<std::size_t>(end[base]->partner);
    peaks.input.push_back(flow.members[v]);
    peaks.base.push_back(flow.members[base]);
    if (!is_peak(v)) continue;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    peaks.node.push_back(flow.members[v]);
    peaks.birth.push_back(groups.height[v] > 0.0 ? portable_log(groups.height[v]) : -kInfinity);
    peaks.death.push_back(end[v] == nullptr ? -kInfinity : portable_log(end[v]->valley_height));
    peaks.partner.push_back(end[v] == nullptr ? kNone : flow.members[end[v]->partner]);
  }
  peaks.threshold = portable_log(kProminence);
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

Leaves leaves_of(const Reading& reading) {
  return reading.map.leaves == Leaf::kComponent ? component_leaves(reading) : node_leaves(reading);
}

Peaks peaks_of(const Reading& reading) {
  return reading.map.leaves == Leaf::kComponent ? support_peaks(reading.ph) : flow_peaks(reading);
}

}  // namespace phida
