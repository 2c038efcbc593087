// How often two nodes won a sample together: per winner, how often each other node was its runner-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace phida {

class CoWins {
 public:
  // One sample, where nothing fades; where samples fade, they are counted in parts of this.
  static constexpr std::int64_t kFading = std::int64_t{1} << 24;

  std::size_t size() const { return first_.size(); }
  void add_node() { first_.push_back(kEnd); }

  void add(std::int32_t winner, std::int32_t runner_up, std::int64_t amount) {
    for (std::int32_t l = first_[winner]; l != kEnd; l = links_[l].next) {
      if (links_[l].runner_up != runner_up) continue;
      links_[l].count += amount;
      return;
    }
    links_.push_back({runner_up, first_[winner], amount});
    first_[winner] = static_cast<std::int32_t>(links_.size()) - 1;
  }

  // Calls visit(winner, runner_up, count) for every count that is not 0.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t r = 0; r < first_.size(); ++r)
      for (std::int32_t l = first_[r]; l != kEnd; l = links_[l].next)
        visit(static_cast<std::int32_t>(r), links_[l].runner_up, links_[l].count);
  }

  // Keeps the nodes named in `kept` (ascending) and their order; counts of and with the others are dropped.
  void keep(std::span<const std::size_t> kept) {
    if (kept.size() == first_.size()) return;
    std::vector<std::int32_t> place(first_.size(), kEnd);
    for (std::size_t to = 0; to < kept.size(); ++to)
      place[kept[to]] = static_cast<std::int32_t>(to);
    renew(
        kept.size(), [&](std::int32_t node) { return place[node]; },
        [](std::int64_t count) { return count; });
  }

  // The counts of `gone` become those of `into`; what the two won together is dropped.
  void absorb(std::int32_t into, std::int32_t gone) {
    renew(
        first_.size(), [&](std::int32_t node) { return node == gone ? into : node; },
        [](std::int64_t count) { return count; });
  }

  // Leaves `share` of all counts, rounded down.
  void fade(double share) {
    renew(
        first_.size(), [](std::int32_t node) { return node; },
        [&](std::int64_t count) {
          return static_cast<std::int64_t>(static_cast<double>(count) * share);
        });
  }

 private:
  static constexpr std::int32_t kEnd = -1;

  // The counts of one winner are a list.
  struct Link {
    std::int32_t runner_up;
    std::int32_t next;
    std::int64_t count;
  };

  // Writes all counts anew, under other places (kEnd: dropped) and with other amounts.
  template <class Place, class Amount>
  void renew(std::size_t n_nodes, Place place, Amount amount) {
    CoWins before;
    std::swap(before, *this);
    first_.assign(n_nodes, kEnd);
    links_.reserve(before.links_.size());
    for (std::size_t r = 0; r < before.first_.size(); ++r) {
      const std::int32_t winner = place(static_cast<std::int32_t>(r));
      if (winner == kEnd) continue;
      for (std::int32_t l = before.first_[r]; l != kEnd; l = before.links_[l].next) {
        const std::int32_t runner_up = place(before.links_[l].runner_up);
        const std::int64_t count = amount(before.links_[l].count);
        if (runner_up != kEnd && runner_up != winner && count > 0) add(winner, runner_up, count);
      }
    }
  }

  std::vector<std::int32_t> first_;  // per winner
  std::vector<Link> links_;
};

}  // namespace phida
