#include "reading/size_tree.hpp"

#include <algorithm>
#include <span>

#include "numeric/blocked_rows.hpp"
#include "numeric/disjoint_sets.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// Merges the nodes of one cluster, the cheapest pair first. A merge costs the increase in weighted dispersion.
class InnerTree {
 public:
  InnerTree(const RowMatrix& place, std::span<const std::int32_t> members,
            const std::vector<double>& support)
      : members_(members),
        position_(place.cols()),
        blocks_(place.cols()),
        squares_(padded(members.size())),
        alive_(members.size(), 1),
        height_(members.size(), 0.0) {
    for (const std::int32_t node : members) {
      position_.append(place[node]);
      weight_.push_back(support[node]);
    }
    blocks_.assign(place, members);
  }

  // Follows each group to its nearest one until two are nearest to each other, and merges them. The merges equal
  // those of the cheapest pairs in another order, since a merged group is not nearer to others than its parts were.
  void append_merges(std::vector<Merge>& merges) {
    std::vector<std::size_t> chain;
    for (std::size_t left = members_.size(), first = 0; left > 1;) {
      while (!chain.empty() && !alive_[chain.back()]) chain.pop_back();
      if (chain.empty()) {
        while (!alive_[first]) ++first;
        chain.push_back(first);
      }
      const std::size_t last = chain.back();
      const bool alone = chain.size() == 1 || !alive_[chain[chain.size() - 2]];
      const Near near = nearest(last, alone ? members_.size() : chain[chain.size() - 2]);
      if (alone || near.group != chain[chain.size() - 2]) {
        chain.push_back(near.group);
        continue;
      }
      chain.resize(chain.size() - 2);
      merges.push_back(unite(std::min(last, near.group), std::max(last, near.group), near.cost));
      --left;
    }
  }

 private:
  struct Near {
    std::size_t group;
    double cost;
  };

  // The group that is cheapest to merge with; ties go to `before`, if any, then to the lowest.
  Near nearest(std::size_t group, std::size_t before) {
    kernels().squared_distances(position_[group], nullptr, blocks_.data(), blocks_.blocks(),
                                blocks_.dims(), squares_.data());
    const auto cost = [&](std::size_t other) {
      const double a = weight_[group], b = weight_[other];
      return a * b / (a + b) * squares_[other];
    };
    Near best{before, before < alive_.size() ? cost(before) : 0.0};
    for (std::size_t other = 0; other < alive_.size(); ++other) {
      if (!alive_[other] || other == group) continue;
      const double c = cost(other);
      if (best.group == alive_.size() || c < best.cost) best = {other, c};
    }
    return best;
  }

  Merge unite(std::size_t into, std::size_t from, double cost) {
    const double united = weight_[into] + weight_[from];
    for (std::size_t j = 0; j < position_.cols(); ++j)
      position_[into][j] += weight_[from] / united * (position_[from][j] - position_[into][j]);
    weight_[into] = united;
    blocks_.set(into, position_[into]);
    alive_[from] = 0;
    // at least its parts' heights, despite rounding
    height_[into] = std::max({cost, height_[into], height_[from]});
    return {members_[into], members_[from], height_[into]};
  }

  std::span<const std::int32_t> members_;  // ascending
  RowMatrix position_;                     // per group, named by its lowest member
  BlockedRows blocks_;                     // the same in blocks
  AlignedDoubles squares_;
  std::vector<double> weight_;
  std::vector<std::uint8_t> alive_;
  std::vector<double> height_;  // height of the group's last merge
};

// Two clusters, and the smallest squared distance between their nodes.
struct Gap {
  double square = 0.0;
  std::int32_t a = 0, b = 0;
};

// The minimum spanning tree of the gaps between clusters, shortest first. It contains each cluster's gap to its
// nearest one, also for merged clusters.
std::vector<Gap> shortest_gaps(const RowMatrix& place,
                               const std::vector<std::vector<std::int32_t>>& members,
                               const std::vector<std::int32_t>& cluster) {
  const std::size_t n = place.rows();
  BlockedRows blocks(place.cols());
  blocks.resize(n);
  for (std::size_t i = 0; i < n; ++i) blocks.set(i, place[i]);
  AlignedDoubles squares(padded(n));
  std::vector<std::uint8_t> reached(members.size(), 0);
  std::vector<Gap> nearest(n, {0.0, kNone, kNone}), gaps;
  const auto reach = [&](std::int32_t c) {
    reached[c] = 1;
    for (const std::int32_t node : members[c]) {
      kernels().squared_distances(place[node], nullptr, blocks.data(), blocks.blocks(),
                                  blocks.dims(), squares.data());
      for (std::size_t i = 0; i < n; ++i)
        if (!reached[cluster[i]] && (nearest[i].a == kNone || squares[i] < nearest[i].square))
          nearest[i] = {squares[i], c, cluster[i]};
    }
  };
  reach(0);
  for (std::size_t left = members.size() - 1; left > 0; --left) {
    const Gap* best = nullptr;
    for (std::size_t i = 0; i < n; ++i)
      if (!reached[cluster[i]] && (best == nullptr || nearest[i].square < best->square))
        best = &nearest[i];
    gaps.push_back(*best);
    reach(gaps.back().b);
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& x, const Gap& y) { return x.square < y.square; });
  return gaps;
}

// Merges complete clusters: first the one whose support times its squared gap to the nearest other cluster is
// smallest.
void append_outer_merges(std::vector<Gap> gaps,
                         const std::vector<std::vector<std::int32_t>>& members,
                         std::vector<double> support, std::vector<Merge>& merges) {
  DisjointSets groups;
  groups.reset(members.size());
  while (!gaps.empty()) {
    std::size_t best = 0;
    double least = 0.0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      const double smaller =
          std::min(support[groups.root(gaps[i].a)], support[groups.root(gaps[i].b)]);
      const double cost = smaller * gaps[i].square;
      if (i == 0 || cost < least) {  // ties go to the shorter gap
        best = i;
        least = cost;
      }
    }
    const std::int32_t a = groups.root(gaps[best].a), b = groups.root(gaps[best].b);
    const std::int32_t into = std::min(a, b), from = std::max(a, b);
    groups.hang(from, into);
    support[into] += support[from];
    merges.push_back({members[into].front(), members[from].front(), least});
    gaps.erase(gaps.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

}  // namespace

std::shared_ptr<const Reading> by_size(const Reading& reading) {
  Learned tree = reading;
  const RowMatrix place = places(reading);
  std::vector<std::vector<std::int32_t>> members(reading.map.n_clusters());
  std::vector<double> support(members.size(), 0.0);
  for (std::size_t i = 0; i < place.rows(); ++i) {
    members[reading.cluster[i]].push_back(static_cast<std::int32_t>(i));
    support[reading.cluster[i]] += reading.nodes.support[i];
  }
  std::vector<Merge>& merges = tree.map.merges;
  merges.clear();
  for (const std::vector<std::int32_t>& nodes : members)
    InnerTree(place, nodes, reading.nodes.support).append_merges(merges);
  std::stable_sort(merges.begin(), merges.end(),
                   [](const Merge& x, const Merge& y) { return x.height < y.height; });
  append_outer_merges(shortest_gaps(place, members, reading.cluster), members, std::move(support),
                      merges);
  tree.map.height = Height::kSize;
  tree.map.complete = true;
  return std::make_shared<const Reading>(std::move(tree));
}

std::shared_ptr<const Reading> with_clusters(const Reading& reading, std::size_t n) {
  const std::size_t level = reading.map.n_leaves - n;
  const bool own = reading.map.height != Height::kProminence || n == reading.map.n_clusters();
  return at_level(own ? reading : *by_size(reading), level);
}

}  // namespace phida
