#include "mapping/modularity.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace phida {
namespace {

__extension__ using Wide = __int128;

// Below this total, products of counts fit 64 bits.
constexpr std::int64_t kNarrow = std::int64_t{1} << 31;

constexpr std::int32_t kNowhere = -1;

double as_double(std::int64_t value) { return static_cast<double>(value); }

// The compiler's own conversion is a function that not every platform has.
double as_double(Wide value) {
  const Wide size = value < 0 ? -value : value;
  const double rounded = static_cast<double>(static_cast<std::uint64_t>(size >> 64)) * 0x1p64 +
                         static_cast<double>(static_cast<std::uint64_t>(size));
  return value < 0 ? -rounded : rounded;
}

// The clusters that are left, the weights between them, and for each the best partner: the one with the largest excess
// of their weight over chance. If one of two clusters merges with a third that has no weight to the other, the excess
// of the two does not grow. So most known values stay true or remain upper bounds, and one is computed again only when
// the next merge would depend on it.
template <class Product>
class Clusters {
 public:
  Clusters(std::span<const WeightedEdge> edges, std::span<const std::int64_t> loop)
      : shares_(loop.size()),
        strength_(loop.begin(), loop.end()),
        age_(loop.size(), 0),
        best_(loop.size()),
        left_(loop.size()),
        place_(loop.size(), kNowhere) {
    std::iota(left_.begin(), left_.end(), 0);
    for (const WeightedEdge& edge : edges) {
      shares_[edge.a].push_back({edge.b, edge.weight});
      shares_[edge.b].push_back({edge.a, edge.weight});
    }
    for (const std::int32_t a : left_) {
      add_up(shares_[a]);
      for (const Share& s : shares_[a]) strength_[a] += s.count;
    }
    total_ = std::accumulate(strength_.begin(), strength_.end(), std::int64_t{0});
    for (const std::int32_t a : left_) find_best(a);
  }

  // Merges the two clusters that share most beyond chance; false if no two share anything.
  bool merge_next(Merge& merge) {
    std::int32_t a = most_beyond_chance();
    while (stale(best_[a])) {
      find_best(a);
      a = most_beyond_chance();
    }
    const Best best = best_[a];
    if (best.with == kNowhere) return false;
    const double total = static_cast<double>(total_);
    merge = {a, best.with, -(as_double(best.excess) / total / total)};
    unite(a, best.with);
    return true;
  }

 private:
  // What a cluster shares with another one.
  struct Share {
    std::int32_t with;
    std::int64_t count;
  };

  // Less than any two can share.
  static constexpr Product kNothing = -(Product{1} << (8 * sizeof(Product) - 2));

  // Ties: the lower partner. Stale once the partner has merged again: then the excess is only an upper bound.
  struct Best {
    Product excess = kNothing;
    std::int32_t with = kNowhere;
    std::uint32_t age = 0;
  };

  bool stale(const Best& best) const {
    return best.with != kNowhere && best.age != age_[best.with];
  }

  // Of equals, the lowest.
  std::int32_t most_beyond_chance() const {
    std::int32_t a = left_.front();
    Product most = best_[a].excess;
    for (const std::int32_t c : left_)
      if (best_[c].excess > most) most = best_[a = c].excess;
    return a;
  }

  // Adds up the entries of one list that have the same partner.
  void add_up(std::vector<Share>& entries) {
    std::size_t n = 0;
    for (const Share& s : entries) {
      if (place_[s.with] != kNowhere) {
        entries[place_[s.with]].count += s.count;
      } else {
        place_[s.with] = static_cast<std::int32_t>(n);
        entries[n++] = s;
      }
    }
    entries.resize(n);
    for (const Share& s : entries) place_[s.with] = kNowhere;
  }

  Product excess(std::int32_t a, const Share& s) const {
    return static_cast<Product>(total_) * s.count -
           static_cast<Product>(strength_[a]) * strength_[s.with];
  }

  void find_best(std::int32_t a) {
    best_[a] = {};
    for (const Share& s : shares_[a]) consider(a, s);
  }

  void consider(std::int32_t a, const Share& s) {
    const Product now = excess(a, s);
    Best& best = best_[a];
    if (now > best.excess || (now == best.excess && s.with < best.with && !stale(best)))
      best = {now, s.with, age_[s.with]};
  }

  // What both share with a third adds up; what they share with each other is inside from now on.
  void unite(std::int32_t into, std::int32_t from) {
    const Product ours = best_[into].excess, theirs = best_[from].excess;
    strength_[into] += strength_[from];
    ++age_[into];
    ++age_[from];
    std::vector<Share>& mine = shares_[into];
    std::erase_if(mine, [&](const Share& s) { return s.with == from; });
    for (std::size_t i = 0; i < mine.size(); ++i)
      place_[mine[i].with] = static_cast<std::int32_t>(i);
    const std::size_t n = mine.size();
    for (const Share& s : shares_[from]) {
      if (s.with == into) continue;
      const std::int32_t at = place_[s.with];
      if (at == kNowhere)
        mine.push_back(s);
      else
        mine[at].count += s.count;
      rename(s.with, from, into, at != kNowhere);
    }
    for (std::size_t i = 0; i < n; ++i) place_[mine[i].with] = kNowhere;
    shares_[from] = {};
    left_.erase(std::lower_bound(left_.begin(), left_.end(), from));
    // An upper bound of the excess with any other cluster. The age makes it stale.
    best_[into] = {std::max({ours, theirs, ours + theirs}), from, age_[from] - 1};
  }

  // In the list of `cluster`, the entry of `from` becomes one of `into`, of which it has one already if `both`.
  void rename(std::int32_t cluster, std::int32_t from, std::int32_t into, bool both) {
    std::vector<Share>& entries = shares_[cluster];
    Share* old = nullptr;
    Share* kept = nullptr;
    for (Share* s = entries.data(); old == nullptr || (both && kept == nullptr); ++s) {
      if (s->with == from) old = s;
      if (s->with == into) kept = s;
    }
    if (both) {
      kept->count += old->count;
      consider(cluster, *kept);
      *old = entries.back();
      entries.pop_back();
    } else {
      old->with = into;
      consider(cluster, *old);
    }
  }

  std::vector<std::vector<Share>> shares_;  // S
  std::vector<std::int64_t> strength_;      // k
  std::vector<std::uint32_t> age_;          // merges that the cluster took part in
  std::vector<Best> best_;
  std::vector<std::int32_t> left_;   // the clusters that are left, ascending
  std::vector<std::int32_t> place_;  // memory to work in
  std::int64_t total_ = 0;           // T
};

template <class Product>
ModularityMerges merge_all(std::span<const WeightedEdge> edges,
                           std::span<const std::int64_t> loop) {
  ModularityMerges out;
  Clusters<Product> clusters(edges, loop);
  Merge merge;
  while (clusters.merge_next(merge)) {
    out.merges.push_back(merge);
    if (merge.height < 0.0) ++out.level;
  }
  return out;
}

}  // namespace

ModularityMerges maximise_modularity(std::span<const WeightedEdge> edges,
                                     std::span<const std::int64_t> loop) {
  if (loop.empty()) return {};
  std::int64_t total = std::accumulate(loop.begin(), loop.end(), std::int64_t{0});
  for (const WeightedEdge& edge : edges) total += 2 * edge.weight;
  return total < kNarrow ? merge_all<std::int64_t>(edges, loop) : merge_all<Wide>(edges, loop);
}

}  // namespace phida
