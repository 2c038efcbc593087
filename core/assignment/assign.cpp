#include "assignment/assign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// A thread costs some ten microseconds to start; this much work (in values times rows of the view) is worth one.
constexpr std::size_t kWorkPerThread = 1u << 20;

// Calls work(first, last) on consecutive parts of 0 .. n.
template <class Work>
void in_parts(std::size_t n, std::size_t work_per_item, std::size_t threads, Work work) {
  const std::size_t worth = n * work_per_item / kWorkPerThread;
  const std::size_t parts = std::max<std::size_t>(1, std::min({threads, worth, n}));
  std::vector<std::thread> helpers;
  for (std::size_t p = 1; p < parts; ++p)
    helpers.emplace_back([=] { work(n * p / parts, n * (p + 1) / parts); });
  work(0, n / parts);
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace

Assigner::Assigner(const AssignmentView& view)
    : view_(view), squares_(view.rows.blocks() * kLanes), nearest_(view.n_clusters()) {}

void Assigner::measure(const double* sample) {
  kernels().squared_distances(sample, view_.transform.scaling(), view_.rows.data(),
                              view_.rows.blocks(), view_.dims(), squares_.data());
}

double Assigner::nearest(std::size_t cluster) const {
  double smallest = std::numeric_limits<double>::infinity();
  for (std::int32_t i = view_.first[cluster]; i < view_.first[cluster + 1]; ++i)
    smallest = std::min(smallest, squares_[i]);
  return std::sqrt(smallest);
}

// A single node scores its squared distance; more score the distance to the nearest plus the distance within which the
// share q of the cluster's support lies.
double Assigner::score(std::size_t cluster, double nearest_distance) {
  const std::int32_t begin = view_.first[cluster], end = view_.first[cluster + 1];
  if (end - begin == 1) return squares_[begin];
  members_.clear();
  for (std::int32_t i = begin; i < end; ++i)
    members_.push_back({std::sqrt(squares_[i]), view_.support[i]});
  // The support within a distance is a sum of counts, exact in any order: halve the members until one is left.
  double needed = view_.concentration * view_.cluster_support[cluster];
  auto from = members_.begin(), to = members_.end();
  const auto closer = [](const Member& a, const Member& b) { return a.distance < b.distance; };
  while (to - from > 1) {
    const auto middle = from + (to - from) / 2;
    std::nth_element(from, middle, to, closer);
    double inner = 0.0;
    for (auto member = from; member != middle; ++member) inner += member->support;
    if (inner >= needed) {
      to = middle;
    } else {
      needed -= inner;
      from = middle;
    }
  }
  return nearest_distance + from->distance;
}

void Assigner::scores(const double* sample, double* out) {
  measure(sample);
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) out[c] = score(c, nearest(c));
}

std::int32_t Assigner::label(const double* sample) {
  if (view_.n_clusters() == 1) return 0;
  measure(sample);
  // The score of a cluster with several nodes is at least twice its nearest distance: most need not be worked out.
  // Starting with the nearest cluster makes the bound tight.
  std::size_t first = 0;
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) {
    nearest_[c] = nearest(c);
    if (nearest_[c] < nearest_[first]) first = c;
  }
  std::size_t best = first;
  double lowest = score(first, nearest_[first]);
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) {
    const bool single = view_.first[c + 1] - view_.first[c] == 1;
    const double bound = single ? squares_[view_.first[c]] : 2.0 * nearest_[c];
    if (c == first || bound > lowest) continue;
    const double s = score(c, nearest_[c]);
    if (s < lowest || (s == lowest && c < best)) {
      lowest = s;
      best = c;
    }
  }
  return static_cast<std::int32_t>(best);
}

void assign(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
            std::int64_t* labels) {
  in_parts(n, view.dims() * view.member.size(), threads, [&](std::size_t i, std::size_t last) {
    Assigner assigner(view);
    for (; i < last; ++i) labels[i] = assigner.label(samples + i * view.dims());
  });
}

void score(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
           double* scores) {
  in_parts(n, view.dims() * view.member.size(), threads, [&](std::size_t i, std::size_t last) {
    Assigner assigner(view);
    for (; i < last; ++i)
      assigner.scores(samples + i * view.dims(), scores + i * view.n_clusters());
  });
}

}  // namespace phida
