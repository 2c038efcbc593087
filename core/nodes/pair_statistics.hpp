// What samples tell about the space between their two nearest nodes: per winner and runner-up, how many samples there
// were and how far they stood off from the plane between the two. Not in the paper; learning does not look at it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

// The sums of one winner and one runner-up.
struct PairSums {
  std::int32_t winner = 0;
  std::int32_t runner_up = 0;
  std::int64_t count = 0;  // n, in units
  double offset =
      0.0;  // s1: sum of u, 0 on the plane between the two nodes and 1 level with the winner
  double offset_square = 0.0;  // s2: sum of u^2
};

class PairStatistics {
 public:
  // What one sample counts where samples fade; it counts 1 where they do not. Whole units keep sums exact.
  static constexpr std::int64_t kFadingUnit = std::int64_t{1} << 24;

  // Sums stay there. No stream that anybody can learn gets so far.
  static constexpr std::int64_t kMost = std::int64_t{1} << 60;
  static constexpr double kMostOffset = 1e250;

  std::size_t size() const { return first_.size(); }
  void add_node() {
    first_.push_back(kEnd);
    unpaired_.push_back(0);
  }

  void add(const PairSums& more) {
    for (std::int32_t l = first_[more.winner]; l != kEnd; l = links_[l].next) {
      PairSums& sums = links_[l].sums;
      if (sums.runner_up != more.runner_up) continue;
      sums.count = std::min(sums.count + more.count, kMost);
      sums.offset = std::min(sums.offset + more.offset, kMostOffset);
      sums.offset_square = std::min(sums.offset_square + more.offset_square, kMostOffset);
      return;
    }
    links_.push_back({more, first_[more.winner]});
    first_[more.winner] = static_cast<std::int32_t>(links_.size()) - 1;
  }
  void add_unpaired(std::int32_t winner, std::int64_t count) {
    unpaired_[winner] = std::min(unpaired_[winner] + count, kMost);
  }

  // All sums in ascending order of winner, then runner-up.
  std::vector<PairSums> sorted() const {
    std::vector<PairSums> all;
    all.reserve(links_.size());
    for (const std::int32_t first : first_) {
      const auto begin = static_cast<std::ptrdiff_t>(all.size());
      for (std::int32_t l = first; l != kEnd; l = links_[l].next) all.push_back(links_[l].sums);
      std::sort(all.begin() + begin, all.end(),
                [](const PairSums& a, const PairSums& b) { return a.runner_up < b.runner_up; });
    }
    return all;
  }

  // Per winner, the count of samples whose runner-up is gone: n[a][a].
  const std::vector<std::int64_t>& unpaired() const { return unpaired_; }

  // Keeps the nodes named in `kept` (ascending) and their order. What a node won with a runner-up that goes stays its
  // own, unpaired.
  void keep(std::span<const std::size_t> kept) {
    if (first_.empty() || kept.size() == first_.size()) return;
    std::vector<std::int32_t> place(first_.size(), kEnd);
    for (std::size_t to = 0; to < kept.size(); ++to)
      place[kept[to]] = static_cast<std::int32_t>(to);
    rebuild(kept.size(), [&](std::int32_t node) { return place[node]; });
  }

  // What `gone` won becomes what `into` won; what the two won with each other is unpaired.
  void absorb(std::int32_t into, std::int32_t gone) {
    if (first_.empty()) return;
    rebuild(first_.size(), [&](std::int32_t node) { return node == gone ? into : node; });
  }

  // Leaves `share` of all sums, counts rounded down to whole units.
  void fade(double share) {
    const auto left = [&](std::int64_t count) {
      return static_cast<std::int64_t>(static_cast<double>(count) * share);
    };
    for (std::int64_t& count : unpaired_) count = left(count);
    for (Link& link : links_) {
      link.sums.count = left(link.sums.count);
      link.sums.offset *= share;
      link.sums.offset_square *= share;
    }
    // A pair without a count must not keep its offsets.
    if (std::any_of(links_.begin(), links_.end(), [](const Link& l) { return l.sums.count == 0; }))
      rebuild(first_.size(), [](std::int32_t node) { return node; });
  }

 private:
  static constexpr std::int32_t kEnd = -1;

  // The sums of one winner are a list.
  struct Link {
    PairSums sums;
    std::int32_t next;
  };

  // Writes all sums anew, under other places (kEnd: dropped).
  template <class Place>
  void rebuild(std::size_t n_nodes, Place place) {
    PairStatistics before;
    std::swap(before, *this);
    first_.assign(n_nodes, kEnd);
    unpaired_.assign(n_nodes, 0);
    links_.reserve(before.links_.size());
    for (std::size_t r = 0; r < before.first_.size(); ++r) {
      const std::int32_t winner = place(static_cast<std::int32_t>(r));
      if (winner == kEnd) continue;
      add_unpaired(winner, before.unpaired_[r]);
      for (std::int32_t l = before.first_[r]; l != kEnd; l = before.links_[l].next) {
        PairSums sums = before.links_[l].sums;
        sums.winner = winner;
        sums.runner_up = place(sums.runner_up);
        if (sums.runner_up == kEnd || sums.runner_up == winner)
          add_unpaired(winner, sums.count);
        else if (sums.count > 0)
          add(sums);
      }
    }
  }

  std::vector<std::int32_t> first_;  // per winner
  std::vector<Link> links_;
  std::vector<std::int64_t> unpaired_;  // per winner
};

// How far a sample stands off from the plane between its winner and runner-up (u): 0 on the plane, 1 level with the
// winner. All are padded rows; `scaling` is null where distances do not depend on it. Eight running sums, so that the
// result is the same at every vector width.
inline double offset_from_plane(const double* sample, const double* winner, const double* runner_up,
                                const double* scaling, std::size_t n) {
  double along[kLanes] = {}, square[kLanes] = {};
  for (std::size_t j = 0; j < n; j += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double s = scaling == nullptr ? 1.0 : scaling[j + k];
      const double apart = (winner[j + k] - runner_up[j + k]) * s;
      const double middle = (winner[j + k] + runner_up[j + k]) * 0.5;
      along[k] += apart * ((sample[j + k] - middle) * s);
      square[k] += apart * apart;
    }
  }
  const auto sum = [](const double* x) {
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
  };
  const double length = sum(square);
  // Nodes that nearly coincide: no such offset may make the sums overflow.
  constexpr double kLargest = 1e100;
  return length > 0.0 ? std::min(2.0 * std::abs(sum(along)) / length, kLargest) : 0.0;
}

}  // namespace phida
