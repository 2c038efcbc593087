#include "assignment/assignment_view.hpp"

#include <algorithm>

namespace phida {

AssignmentView make_view(const RowMatrix& representatives, std::span<const double> support,
                         std::span<const std::int32_t> members,
                         std::span<const std::int32_t> cluster, std::size_t n_clusters,
                         const FeatureTransform& transform) {
  AssignmentView view;
  view.transform = transform;
  view.first.assign(n_clusters + 1, 0);
  for (const std::int32_t c : cluster) ++view.first[c + 1];
  for (std::size_t c = 0; c < n_clusters; ++c) view.first[c + 1] += view.first[c];
  std::vector<std::int32_t> next(view.first.begin(), view.first.end() - 1);
  view.member.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) view.member[next[cluster[i]]++] = members[i];
  view.rows = BlockedRows(representatives.cols());
  view.rows.assign(representatives, view.member);
  view.cluster_support.assign(n_clusters, 0.0);
  double total = 0.0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    view.support.push_back(support[view.member[i]]);
    view.cluster_support[cluster[i]] += support[members[i]];
    total += support[members[i]];
  }
  double squares = 0.0;
  for (const double s : view.cluster_support) squares += s / total * (s / total);
  view.concentration = std::clamp(squares, 1e-6, 1.0);
  return view;
}

}  // namespace phida
