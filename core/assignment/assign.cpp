#include "assignment/assign.hpp"

#include <algorithm>
#include <cmath>

#include "simd/kernels.hpp"

namespace phida {

Assigner::Assigner(const AssignmentView& view)
    : view_(view), squares_(view.rows.blocks() * kLanes) {}

void Assigner::measure(const double* sample) {
  kernels().squared_distances(sample, view_.transform.scaling(), view_.rows.data(),
                              view_.rows.blocks(), view_.dims(), squares_.data());
}

// A single node scores its squared distance; more score the distance to the nearest plus the distance within which the
// share q of the cluster's support lies.
double Assigner::score(std::size_t cluster) {
  const auto begin = static_cast<std::size_t>(view_.first[cluster]);
  const auto end = static_cast<std::size_t>(view_.first[cluster + 1]);
  if (end - begin == 1) return squares_[begin];
  by_distance_.clear();
  for (std::size_t i = begin; i < end; ++i)
    by_distance_.emplace_back(std::sqrt(squares_[i]), view_.support[i]);
  std::sort(by_distance_.begin(), by_distance_.end());
  const double enough = view_.concentration * view_.cluster_support[cluster];
  double reached = 0.0;
  for (const auto& [distance, support] : by_distance_) {
    reached += support;
    if (reached >= enough) return by_distance_.front().first + distance;
  }
  return by_distance_.front().first + by_distance_.back().first;
}

void Assigner::scores(const double* sample, double* out) {
  measure(sample);
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) out[c] = score(c);
}

std::int32_t Assigner::label(const double* sample) {
  if (view_.n_clusters() == 1) return 0;
  measure(sample);
  std::int32_t best = 0;
  double lowest = score(0);
  for (std::size_t c = 1; c < view_.n_clusters(); ++c) {
    const double s = score(c);
    if (s < lowest) {
      lowest = s;
      best = static_cast<std::int32_t>(c);
    }
  }
  return best;
}

}  // namespace phida
