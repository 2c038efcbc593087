#include "assignment/assign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>
#include <thread>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// A thread costs some ten microseconds to start; this much work (in values times rows of the view) is worth one.
constexpr std::size_t kWorkPerThread = 1u << 20;

// About fifty milliseconds of work for one thread.
constexpr std::size_t kSliceWork = 1u << 26;

// Up to this many members, insertion beats selection.
constexpr std::ptrdiff_t kFew = 24;

struct Helpers {
  std::vector<std::thread> threads;
  ~Helpers() {
    for (std::thread& thread : threads) thread.join();
  }
};

// Calls work(assigner, first, last) on consecutive parts of first .. last, one assigner to a thread.
template <class Work>
void in_parts(std::size_t first, std::size_t last, std::size_t parts,
              std::vector<Assigner>& assigners, const Work& work) {
  const auto begin = [=](std::size_t part) { return first + (last - first) * part / parts; };
  Helpers helpers;
  helpers.threads.reserve(parts);
  std::size_t part = 1;
  try {
    for (; part < parts; ++part)
      helpers.threads.emplace_back(
          [&, part] { work(assigners[part], begin(part), begin(part + 1)); });
  } catch (const std::system_error&) {
    // No further thread is to be had; the parts that are left are done here.
  }
  work(assigners[0], begin(0), begin(1));
  for (; part < parts; ++part) work(assigners[0], begin(part), begin(part + 1));
}

template <class Work>
bool in_slices(const AssignmentView& view, std::size_t n, std::size_t threads, const GoOn& go_on,
               const Work& work) {
  const std::size_t cost = view.dims() * view.member.size();
  const std::size_t worth = std::max<std::size_t>(1, std::min(threads, n * cost / kWorkPerThread));
  const std::size_t slice = worth * std::max<std::size_t>(1, kSliceWork / cost);
  std::vector<Assigner> assigners(worth, Assigner(view));
  for (std::size_t first = 0; first < n; first += slice) {
    if (first > 0 && !go_on()) return false;
    in_parts(first, std::min(n, first + slice), worth, assigners, work);
  }
  return true;
}

}  // namespace

Assigner::Assigner(const AssignmentView& view)
    : view_(view), squares_(view.rows.blocks() * kLanes), nearest_(view.n_clusters()) {
  members_.reserve(view.member.size());  // so that labelling never allocates
}

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

// In the paper a single node scores its squared distance; more score the distance to the nearest plus the distance
// within which the share q of the cluster's support lies.
double Assigner::score(std::size_t cluster, double nearest_distance) {
  if (view_.scoring == Scoring::kNearest) return nearest_distance;
  const std::int32_t begin = view_.first[cluster], end = view_.first[cluster + 1];
  if (end - begin == 1)
    return view_.scoring == Scoring::kPublished ? squares_[begin]
                                                : nearest_distance + nearest_distance;
  members_.clear();
  for (std::int32_t i = begin; i < end; ++i) members_.push_back({squares_[i], view_.support[i]});
  const double needed = view_.concentration * view_.cluster_support[cluster];
  return nearest_distance + std::sqrt(square_within(needed));
}

// The smallest square within which members of at least so much support lie. Supports are counts, so that their sums are
// exact in any order.
double Assigner::square_within(double needed) {
  const auto closer = [](const Member& a, const Member& b) { return a.square < b.square; };
  auto from = members_.begin(), to = members_.end();
  while (to - from > kFew) {
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
  for (auto member = from + 1; member < to; ++member) {
    const Member moved = *member;
    auto at = member;
    for (; at > from && closer(moved, *(at - 1)); --at) *at = *(at - 1);
    *at = moved;
  }
  for (; from < to - 1 && from->support < needed; ++from) needed -= from->support;
  return from->square;
}

void Assigner::scores(const double* sample, double* out) {
  measure(sample);
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) out[c] = score(c, nearest(c));
}

std::int32_t Assigner::label(const double* sample) {
  if (view_.n_clusters() == 1) return 0;
  measure(sample);
  if (view_.scoring == Scoring::kNearest) return label_of_nearest();
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
    const bool single =
        view_.scoring == Scoring::kPublished && view_.first[c + 1] - view_.first[c] == 1;
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

// Distances are compared, not squares: different squares may have the same root. Of equals, the node of lowest index.
std::int32_t Assigner::label_of_nearest() const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // A larger square has a larger root: most roots need not be taken.
  constexpr double kSameRoot = 1.0 + 4.0 * std::numeric_limits<double>::epsilon();
  double lowest = kInfinity, bound = kInfinity;
  std::int32_t node = std::numeric_limits<std::int32_t>::max();
  std::size_t best = 0;
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) {
    for (std::int32_t i = view_.first[c]; i < view_.first[c + 1]; ++i) {
      if (squares_[i] > bound) continue;
      const double root = std::sqrt(squares_[i]);
      if (root > lowest || (root == lowest && view_.member[i] > node)) continue;
      if (root < lowest) bound = squares_[i] * kSameRoot;
      lowest = root;
      node = view_.member[i];
      best = c;
    }
  }
  return static_cast<std::int32_t>(best);
}

bool assign(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels) {
  return in_slices(view, n, threads, go_on,
                   [&](Assigner& assigner, std::size_t i, std::size_t last) {
                     for (; i < last; ++i) labels[i] = assigner.label(samples + i * view.dims());
                   });
}

bool score(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
           const GoOn& go_on, double* scores) {
  return in_slices(view, n, threads, go_on,
                   [&](Assigner& assigner, std::size_t i, std::size_t last) {
                     for (; i < last; ++i)
                       assigner.scores(samples + i * view.dims(), scores + i * view.n_clusters());
                   });
}

}  // namespace phida
