// Clusters of nodes that win together more often than chance would have it: greedy maximisation of modularity on the
// winner/runner-up counts. Not in the paper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

// How often two nodes won together, in either order.
struct SharedWins {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int64_t count = 0;
};

// Two groups, each named by its lowest member, and what they share beyond chance.
struct CoactivationMerge {
  std::int32_t into = 0;
  std::int32_t from = 0;
  double excess = 0.0;  // T S - k k, over T^2: the modularity that the merge gains, halved
};

struct Coactivation {
  std::vector<std::int32_t> members;  // V: the nodes that take part, ascending
  std::vector<CoactivationMerge>
      merges;             // in positions of `members`, as long as any two groups share anything
  std::size_t level = 0;  // the merges that share more than chance: those are made
};

// `support` is per node; counts of one pair add up, whatever their order. Groups that share anything go on merging
// beyond `level`, by the same rule. Empty `members` where no two nodes ever won together: the paper's map holds then.
void coactivate(std::span<const double> support, std::span<const SharedWins> shared,
                Coactivation& out);

}  // namespace phida
