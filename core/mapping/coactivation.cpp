#include "mapping/coactivation.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace phida {
namespace {

__extension__ using Wide = __int128;

// Below this total, products of counts fit 64 bits.
constexpr std::int64_t kNarrow = std::int64_t{1} << 31;

constexpr std::int32_t kNowhere = -1;

// The groups that are left, what they share, and for each the partner with which it shares most beyond chance.
template <class Product>
class Groups {
 public:
  // Counts per pair of 0 .. n - 1; every one of them shares something.
  Groups(std::size_t n, std::span<const SharedWins> shared)
      : first_(n), size_(n, 0), strength_(n, 0), best_(n), place_(n, kNowhere) {
    lay_out(shared);
    for (std::size_t a = 0; a < n; ++a)
      for (const Share& s : list(a)) strength_[a] += s.count;
    total_ = std::accumulate(strength_.begin(), strength_.end(), std::int64_t{0});
    for (std::size_t a = 0; a < n; ++a) find_best(static_cast<std::int32_t>(a));
  }

  // Unites the two groups that share most beyond chance; false if no two share anything.
  bool merge(CoactivationMerge& merge) {
    std::size_t a = 0;
    for (std::size_t c = 1; c < best_.size(); ++c)
      if (best_[c].excess > best_[a].excess) a = c;
    const Best best = best_[a];
    if (best.with == kNowhere) return false;
    const double total = static_cast<double>(total_);
    merge = {static_cast<std::int32_t>(a), best.with,
             static_cast<double>(best.excess) / total / total};
    unite(static_cast<std::int32_t>(a), best.with);
    return true;
  }

 private:
  // What a group shares with another one.
  struct Share {
    std::int32_t with;
    std::int64_t count;
  };

  // Less than any two can share.
  static constexpr Product kNothing = -(Product{1} << (8 * sizeof(Product) - 2));

  // Of equals, the lower partner; the lower of two groups is found first.
  struct Best {
    Product excess = kNothing;
    std::int32_t with = kNowhere;
  };

  std::span<Share> list(std::size_t a) { return {shares_.data() + first_[a], size_[a]}; }

  // One list per group, each partner in it once.
  void lay_out(std::span<const SharedWins> shared) {
    for (const SharedWins& s : shared) {
      ++size_[s.a];
      ++size_[s.b];
    }
    std::exclusive_scan(size_.begin(), size_.end(), first_.begin(), std::size_t{0});
    shares_.resize(2 * shared.size());
    std::fill(size_.begin(), size_.end(), 0);
    const auto put = [&](std::int32_t a, std::int32_t b, std::int64_t count) {
      shares_[first_[a] + size_[a]++] = {b, count};
    };
    for (const SharedWins& s : shared) {
      put(s.a, s.b, s.count);
      put(s.b, s.a, s.count);
    }
    for (std::size_t a = 0; a < size_.size(); ++a) size_[a] = united(list(a));
  }

  // Adds up the entries of one list that have the same partner; how many are left.
  std::size_t united(std::span<Share> entries) {
    std::size_t n = 0;
    for (const Share& s : entries) {
      if (place_[s.with] != kNowhere) {
        entries[place_[s.with]].count += s.count;
      } else {
        place_[s.with] = static_cast<std::int32_t>(n);
        entries[n++] = s;
      }
    }
    for (const Share& s : entries.first(n)) place_[s.with] = kNowhere;
    return n;
  }

  Product excess(std::int32_t a, const Share& s) const {
    return static_cast<Product>(total_) * s.count -
           static_cast<Product>(strength_[a]) * strength_[s.with];
  }

  void find_best(std::int32_t a) {
    Best best;
    for (const Share& s : list(a)) consider(excess(a, s), s.with, best);
    best_[a] = best;
  }

  static void consider(Product excess, std::int32_t with, Best& best) {
    if (excess > best.excess || (excess == best.excess && with < best.with)) best = {excess, with};
  }

  // What both share with a third adds up; what they share with each other is inside from now on.
  void unite(std::int32_t into, std::int32_t from) {
    const std::size_t start = shares_.size();
    shares_.resize(start + size_[into] + size_[from]);
    std::size_t n = 0;
    for (const std::int32_t part : {into, from})
      for (const Share& s : list(part))
        if (s.with != into && s.with != from) shares_[start + n++] = s;
    for (const Share& s : list(from))
      if (s.with != into) rename(s.with, from, into);
    first_[into] = start;
    size_[into] = united({shares_.data() + start, n});
    shares_.resize(start + size_[into]);
    size_[from] = 0;
    strength_[into] += strength_[from];
    best_[from] = {};
    Best best;
    for (const Share& s : list(into)) {
      const Product now = excess(into, s);
      consider(now, s.with, best);
      Best& theirs = best_[s.with];
      // The partners that did not change share no more than the best one did.
      if (theirs.with != into && theirs.with != from)
        consider(now, into, theirs);
      else if (now >= theirs.excess)
        theirs = {now, into};
      else
        find_best(s.with);
    }
    best_[into] = best;
  }

  // In the list of `group`, the entry of `from` becomes one of `into`.
  void rename(std::int32_t group, std::int32_t from, std::int32_t into) {
    const std::span<Share> entries = list(group);
    Share* old = nullptr;
    Share* kept = nullptr;
    for (Share& s : entries) {
      if (s.with == from) old = &s;
      if (s.with == into) kept = &s;
    }
    if (kept == nullptr) {
      old->with = into;
    } else {
      kept->count += old->count;
      *old = entries.back();
      --size_[group];
    }
  }

  std::vector<Share> shares_;              // lists; those of groups that changed stand further back
  std::vector<std::size_t> first_, size_;  // of each group's list
  std::vector<std::int64_t> strength_;     // k
  std::vector<Best> best_;                 // per group; of none where it is gone
  std::vector<std::int32_t> place_;        // memory to work in
  std::int64_t total_ = 0;                 // T
};

template <class Product>
void merge_groups(std::span<const SharedWins> within, Coactivation& out) {
  Groups<Product> groups(out.members.size(), within);
  CoactivationMerge merge;
  while (groups.merge(merge)) {
    out.merges.push_back(merge);
    if (merge.excess > 0.0) ++out.level;
  }
}

}  // namespace

void coactivate(std::span<const double> support, std::span<const SharedWins> shared,
                Coactivation& out) {
  out.members.clear();
  out.merges.clear();
  out.level = 0;
  const std::size_t n = support.size();
  const bool any = std::any_of(support.begin(), support.end(), [](double m) { return m > 1.0; });
  const auto inside = [&](const SharedWins& s) {
    return s.count > 0 && (!any || (support[s.a] > 1.0 && support[s.b] > 1.0));
  };
  // A node that shares nothing leaves, if any two share something; so that whoever stays is linked.
  std::vector<std::int32_t> place(n, kNowhere);
  std::int64_t total = 0;
  for (const SharedWins& s : shared) {
    if (!inside(s)) continue;
    place[s.a] = place[s.b] = 0;
    total += 2 * s.count;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (place[i] == kNowhere) continue;
    place[i] = static_cast<std::int32_t>(out.members.size());
    out.members.push_back(static_cast<std::int32_t>(i));
  }
  if (out.members.empty()) return;
  std::vector<SharedWins> within;
  within.reserve(shared.size());
  for (const SharedWins& s : shared)
    if (inside(s)) within.push_back({place[s.a], place[s.b], s.count});
  if (total < kNarrow)
    merge_groups<std::int64_t>(within, out);
  else
    merge_groups<Wide>(within, out);
}

}  // namespace phida
