#include "assignment/assign.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <system_error>
#include <thread>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// Work per thread, in values times rows of the view: starting a thread takes about ten microseconds.
constexpr std::size_t kWorkPerThread = 1u << 20;

// Work between two calls of go_on: about a millisecond.
constexpr std::size_t kPartWork = 1u << 22;
constexpr std::size_t kPartRows = std::max(kLanes, GridBatch::kMost);
constexpr std::size_t kPartsPerQuestion = 32;

// Up to this many members, the nearest are searched one by one.
constexpr std::ptrdiff_t kFew = 24;

// Fewer samples than this are measured singly: eight together cost as much as four to six alone.
constexpr std::size_t kWorthEight = 5;

// If a sieve leaves more rows than this, all are measured.
constexpr std::size_t kMostLeft = 64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A square above this has a larger root than `square`. Needed because different squares may have equal roots.
constexpr double same_root(double square) {
  return square * (1.0 + 8.0 * std::numeric_limits<double>::epsilon()) +
         std::numeric_limits<double>::min();
}

struct Helpers {
  std::vector<std::thread> threads;
  ~Helpers() {
    for (std::thread& thread : threads) thread.join();
  }
};

// Calls work(assigner, first, last) on consecutive parts of n samples, in up to `threads` threads. A free thread
// takes the next part, so that no thread waits for a slow one.
template <class Work>
bool in_parts(const AssignmentView& view, std::size_t n, std::size_t threads, const GoOn& go_on,
              const Work& work) {
  const std::size_t cost = view.dims() * view.member.size();
  const std::size_t worth = std::max<std::size_t>(1, std::min(threads, n * cost / kWorkPerThread));
  const std::size_t part = std::max<std::size_t>(1, kPartWork / cost / kPartRows) * kPartRows;
  std::vector<Assigner> assigners;
  assigners.reserve(worth);
  for (std::size_t t = 0; t < worth; ++t) assigners.emplace_back(view);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stopped = false;
  const auto take_parts = [&](Assigner& assigner, const auto& after_each) {
    while (!stopped) {
      const std::size_t first = next.fetch_add(part);
      if (first >= n) return;
      work(assigner, first, std::min(n, first + part));
      after_each();
    }
  };
  Helpers helpers;
  helpers.threads.reserve(worth);
  try {
    for (std::size_t t = 1; t < worth; ++t)
      helpers.threads.emplace_back([&, t] { take_parts(assigners[t], [] {}); });
  } catch (const std::system_error&) {
    // No more threads can be started; the running ones do all the work.
  }
  std::size_t done = 0;
  take_parts(assigners[0], [&] {
    if (++done % kPartsPerQuestion == 0 && !go_on()) stopped = true;
  });
  return !stopped;
}

}  // namespace

Assigner::Assigner(const AssignmentView& view)
    : view_(view),
      points_(view.dims() * kLanes),
      squares_(view.rows.blocks() * kLanes * kLanes),
      nearest_(view.n_clusters() * kLanes),
      nearest_row_(view.n_clusters() * kLanes),
      least_(kLanes),
      least_cluster_(kLanes),
      near_(kLanes),
      together_(view.dims()) {
  members_.reserve(view.member.size());  // labelling then never allocates
}

template <class Visit>
void Assigner::measure_all(const double* samples, std::size_t n, Visit visit) {
  for (std::size_t i = 0; i < n;) {
    const std::size_t together = std::min(n - i, kLanes);
    if (together < kWorthEight) {
      measure_one(samples + i * view_.dims());
      visit(i++, 0);
      continue;
    }
    measure_eight(samples + i * view_.dims(), together);
    for (std::size_t point = 0; point < together; ++point) visit(i++, point);
  }
}

template <class Visit>
void Assigner::sieve_all(const double* samples, std::size_t n, Visit visit) {
  const std::size_t dims = view_.dims();
  for (std::size_t first = 0; first < n; first += GridBatch::kMost) {
    const std::size_t count = std::min(n - first, GridBatch::kMost);
    together_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(samples + (first + i) * dims, dims, together_[i]);
    if (count == 1) return visit(first, view_.grid.sieve(together_[0], search_));
    view_.grid.measure(together_, 0, batch_);
    for (std::size_t i = 0; i < count; ++i) visit(first + i, view_.grid.sieve(batch_, i, search_));
  }
}

// If fewer than eight, the last sample is repeated.
void Assigner::measure_eight(const double* samples, std::size_t n) {
  const std::size_t dims = view_.dims();
  const double* sample[kLanes];
  for (std::size_t point = 0; point < kLanes; ++point)
    sample[point] = samples + std::min(point, n - 1) * dims;
  for (std::size_t j = 0; j < dims; ++j)
    for (std::size_t point = 0; point < kLanes; ++point)
      points_[j * kLanes + point] = sample[point][j];
  stride_ = kLanes;
  kernels().squared_distances_of_eight(points_.data(), view_.transform.scaling(), view_.rows.data(),
                                       view_.rows.blocks(), dims, squares_.data());
  kernels().least_of_groups(squares_.data(), view_.first.data(), view_.n_clusters(),
                            nearest_.data(), nearest_row_.data());
  const std::int32_t clusters[] = {0, static_cast<std::int32_t>(view_.n_clusters())};
  kernels().least_of_groups(nearest_.data(), clusters, 1, least_.data(), least_cluster_.data());
}

void Assigner::measure_one(const double* sample) {
  stride_ = 1;
  kernels().squared_distances(sample, view_.transform.scaling(), view_.rows.data(),
                              view_.rows.blocks(), view_.dims(), squares_.data());
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) {
    const auto least =
        std::min_element(squares_.begin() + view_.first[c], squares_.begin() + view_.first[c + 1]);
    nearest_[c] = *least;
    nearest_row_[c] = static_cast<double>(least - squares_.begin());
  }
  const auto least = std::min_element(
      nearest_.begin(), nearest_.begin() + static_cast<std::ptrdiff_t>(view_.n_clusters()));
  least_cluster_[0] = static_cast<double>(least - nearest_.begin());
}

// In the paper a single node scores its squared distance; several score the distance to the nearest plus the radius
// that holds the share q of the cluster's support. A score above `limit` may be incomplete, and then too low, but it
// exceeds the limit.
double Assigner::score(std::size_t cluster, std::size_t point, double limit) {
  const std::size_t at = cluster * stride_ + point;
  const double nearest = std::sqrt(nearest_[at]);
  if (view_.scoring == Scoring::kNearest) return nearest;
  const std::int32_t begin = view_.first[cluster], end = view_.first[cluster + 1];
  if (end - begin == 1) return nearest_[at];
  const double needed = view_.concentration * view_.cluster_support[cluster];
  const auto row = static_cast<std::int32_t>(nearest_row_[at]);
  if (end - begin == 1 || view_.support[row] >= needed) return nearest + nearest;
  members_.clear();
  for (std::int32_t i = begin; i < end; ++i)
    if (i != row) members_.push_back({square(i, point), view_.support[i]});
  return score_within(nearest, needed - view_.support[row], limit);
}

// `nearest` plus the smallest radius whose members have at least the needed support. Supports are counts, so their
// sums are exact in any order.
double Assigner::score_within(double nearest, double needed, double limit) {
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
  // The nearest one or two usually suffice, so a full sort would waste time.
  for (;; ++from) {
    std::iter_swap(from, std::min_element(from, to, closer));
    const double score = nearest + std::sqrt(from->square);
    if (from->support >= needed || score > limit || to - from == 1) return score;
    needed -= from->support;
  }
}

void Assigner::scores(const double* samples, std::size_t n, double* out) {
  measure_all(samples, n, [&](std::size_t i, std::size_t point) {
    for (std::size_t c = 0; c < view_.n_clusters(); ++c)
      out[i * view_.n_clusters() + c] = score(c, point, kInfinity);
  });
}

void Assigner::nearest_squares(const double* samples, std::size_t n, double* out) {
  if (view_.grid.is_laid())
    sieve_all(samples, n, [&](std::size_t i, std::span<const std::int32_t> candidates) {
      out[i] = nearest(samples + i * view_.dims(), candidates).square;
    });
  else
    measure_all(samples, n, [&](std::size_t i, std::size_t point) {
      out[i] = nearest_[nearest_cluster(point) * stride_ + point];
    });
}

void Assigner::second_squares(const double* samples, std::size_t n, double* out) {
  const auto n_rows = static_cast<std::size_t>(view_.first.back());
  measure_all(samples, n, [&](std::size_t i, std::size_t point) {
    double least = kInfinity, second = kInfinity;
    for (std::size_t row = 0; row < n_rows; ++row) {
      const double found = square(row, point);
      second = std::min(second, std::max(least, found));
      least = std::min(least, found);
    }
    out[i] = second;
  });
}

void Assigner::labels(const double* samples, std::size_t n, std::int64_t* out) {
  if (view_.n_clusters() == 1)
    std::fill_n(out, n, 0);
  else if (view_.grid.is_laid())
    sieve_all(samples, n, [&](std::size_t i, std::span<const std::int32_t> candidates) {
      out[i] = nearest_cluster(samples + i * view_.dims(), candidates);
    });
  else if (view_.scoring == Scoring::kNearest)
    measure_all(samples, n,
                [&](std::size_t i, std::size_t point) { out[i] = cluster_of(nearest_row(point)); });
  else
    measure_all(samples, n,
                [&](std::size_t i, std::size_t point) { out[i] = lowest_score(point); });
}

// Rows of one cluster need not be measured.
std::int32_t Assigner::nearest_cluster(const double* sample,
                                       std::span<const std::int32_t> candidates) {
  if (candidates.empty()) return cluster_of(nearest(sample, candidates).row);
  const std::int32_t cluster = cluster_of(candidates[0]);
  for (const std::int32_t row : candidates)
    if (row < view_.first[cluster] || row >= view_.first[cluster + 1])
      return cluster_of(nearest(sample, candidates).row);
  return cluster;
}

// Blocks of rows that the sieve leaves are measured in the same way as all rows. If it leaves many, all are measured.
Assigner::Nearest Assigner::nearest(const double* sample,
                                    std::span<const std::int32_t> candidates) {
  const std::size_t dims = view_.dims(), of_block = dims * kLanes;
  if (candidates.empty() || candidates.size() > kMostLeft) {
    measure_one(sample);
    return {nearest_row(0), nearest_[nearest_cluster(0)]};
  }
  Nearest found{-1, kInfinity};
  std::size_t measured = view_.rows.blocks();
  for (const std::int32_t row : candidates) {
    const std::size_t block = static_cast<std::size_t>(row) / kLanes;
    if (block != measured)
      kernels().squared_distances(sample, view_.transform.scaling(),
                                  view_.rows.data() + block * of_block, 1, dims, near_.data());
    measured = block;
    const double square = near_[static_cast<std::size_t>(row) % kLanes];
    if (found.row < 0 || square < found.square ||
        (square == found.square && view_.member[row] < view_.member[found.row]))
      found = {row, square};
  }
  return found;
}

// The score of a cluster with several nodes is at least twice its nearest distance, so most scores need not be
// computed. Starting with the nearest cluster makes the bound tight.
std::int32_t Assigner::lowest_score(std::size_t point) {
  const std::size_t first = nearest_cluster(point);
  std::size_t best = first;
  double lowest = score(first, point, kInfinity);
  for (std::size_t c = 0; c < view_.n_clusters(); ++c) {
    const double square = nearest_[c * stride_ + point];
    const bool single = view_.first[c + 1] - view_.first[c] == 1;
    if (c == first || (single ? square > lowest : 4.0 * square > same_root(lowest * lowest)))
      continue;
    const double s = score(c, point, lowest);
    if (s < lowest || (s == lowest && c < best)) {
      lowest = s;
      best = c;
    }
  }
  return static_cast<std::int32_t>(best);
}

// Among equally near nodes, the one of lowest index.
std::int32_t Assigner::nearest_row(std::size_t point) const {
  const std::size_t nearest = nearest_cluster(point);
  const double least = nearest_[nearest * stride_ + point];
  std::int32_t best = -1;
  for (std::size_t c = nearest; c < view_.n_clusters(); ++c) {
    if (nearest_[c * stride_ + point] != least) continue;
    // Rows of a cluster ascend by node, and this is the first of its nearest rows.
    const auto row = static_cast<std::int32_t>(nearest_row_[c * stride_ + point]);
    if (best < 0 || view_.member[row] < view_.member[best]) best = row;
  }
  return best;
}

std::int32_t Assigner::cluster_of(std::int32_t row) const {
  const auto next = std::upper_bound(view_.first.begin(), view_.first.end(), row);
  return static_cast<std::int32_t>(next - view_.first.begin()) - 1;
}

bool assign(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels) {
  return in_parts(view, n, threads, go_on,
                  [&](Assigner& assigner, std::size_t i, std::size_t last) {
                    assigner.labels(samples + i * view.dims(), last - i, labels + i);
                  });
}

bool score(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
           const GoOn& go_on, double* scores) {
  return in_parts(
      view, n, threads, go_on, [&](Assigner& assigner, std::size_t i, std::size_t last) {
        assigner.scores(samples + i * view.dims(), last - i, scores + i * view.n_clusters());
      });
}

}  // namespace phida
