#include "assignment/assignment_view.hpp"

#include <algorithm>

namespace phida {
namespace {

// Number of values from which sieving the rows is faster than measuring all.
constexpr std::size_t kWorthGrid = 2048;

}  // namespace

AssignmentView make_view(const RowMatrix& representatives, std::span<const double> support,
                         std::span<const std::int32_t> cluster, std::size_t n_clusters,
                         const NodeMap& map) {
  AssignmentView view;
  view.transform = map.transform;
  view.scoring = map.scoring;
  view.first.assign(n_clusters + 1, 0);
  for (const std::int32_t c : cluster)
    if (c >= 0) ++view.first[c + 1];
  for (std::size_t c = 0; c < n_clusters; ++c) view.first[c + 1] += view.first[c];
  std::vector<std::int32_t> next(view.first.begin(), view.first.end() - 1);
  view.member.resize(view.first.back());
  for (std::size_t i = 0; i < cluster.size(); ++i)
    if (cluster[i] >= 0) view.member[next[cluster[i]]++] = static_cast<std::int32_t>(i);
  view.rows = BlockedRows(representatives.cols());
  view.rows.assign(representatives, view.member);
  if (view.scoring == Scoring::kNearest && view.member.size() * view.dims() >= kWorthGrid) {
    view.grid = GridRows(view.dims());
    view.grid.assign(representatives, view.member, view.transform.scaling());
  }
  view.cluster_support.assign(n_clusters, 0.0);
  double total = 0.0;
  for (const std::int32_t i : view.member) view.support.push_back(support[i]);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    if (cluster[i] < 0) continue;
    view.cluster_support[cluster[i]] += support[i];
    total += support[i];
  }
  double squares = 0.0;
  for (const double s : view.cluster_support) squares += s / total * (s / total);
  view.concentration = std::clamp(squares, 1e-6, 1.0);
  return view;
}

}  // namespace phida
