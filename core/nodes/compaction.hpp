// Merges the fine nodes whose union costs least (spec section 12). The cost of a pair is the increase of the total
// scatter (Ward): the squared distance over the sum of the inverse weights.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "nodes/fine_nodes.hpp"
#include "search/close_pairs.hpp"

namespace phida {

// Merges node `b` into node `a`; b is left as it is. The lineage of the heavier one (ties: a) continues.
void merge_nodes(FineNodes& nodes, std::size_t a, std::size_t b);

class Compaction {
 public:
  // Merges the cheapest pair, ties to the lower first and then the lower second index, into the lower index, until
  // `target` nodes are left. Returns the cost of the last merge. `expected` is an estimate of it, 0 for none.
  double merge_cheapest(FineNodes& nodes, const double* scaling, std::size_t target,
                        double expected);

 private:
  struct Pair {
    double cost = 0.0;
    std::int32_t a = 0, b = 0;          // a < b
    std::int32_t age_a = 0, age_b = 0;  // ages of both when the pair was offered
    std::int32_t of = 0;                // the node whose cheapest pair this is

    // Heap order: the cheapest pair is on top.
    bool operator<(const Pair& other) const {
      if (cost != other.cost) return cost > other.cost;
      return a != other.a ? a > other.a : b > other.b;
    }
  };

  // A node within reach of another.
  struct Partner {
    std::int32_t node = 0;
    std::int32_t age = -1;       // age of `node` when the cost was measured; -1 for a bound
    std::int32_t age_self = -1;  // age of the other node at that time
    double bound = 0.0;          // the cost, or a lower bound of it
  };

  void start(const FineNodes& nodes, const double* scaling);
  void search(const FineNodes& nodes);
  bool is_rounded(const FineNodes& nodes, const Pair& pair) const;
  void join_lists(const FineNodes& nodes, const Pair& pair);
  void list_all(const Pair& pair);
  void offer(const FineNodes& nodes, std::int32_t a);
  void offer_tidy(const FineNodes& nodes, std::int32_t a);
  void tidy(std::vector<Partner>& partners, std::int32_t a);
  double reach_for(const FineNodes& nodes, std::size_t merges);
  bool is_current(const Pair& pair) const;
  std::int32_t root(std::int32_t node);

  const double* scaling_ = nullptr;
  double reach_ = 0.0;
  std::optional<double>
      growth_;        // recent relative growth of the cost from one compaction to the next
  double off_ = 0.1;  // recent relative error of the estimated cost
  ClosePairs close_;
  AlignedDoubles inverse_weight_;  // per node; merged nodes are never within reach
  AlignedDoubles limits_;          // inverse weight times reach
  std::vector<std::int32_t> into_, age_;
  std::vector<std::int32_t> listed_;            // per node: its position on the list being tidied
  std::vector<std::vector<Partner>> partners_;  // partners within reach, per node
  std::vector<Pair> heap_;
  std::vector<double> cheapest_;
  std::vector<std::size_t> kept_;
};

}  // namespace phida
