// Greedy maximisation of modularity on a weighted graph: the two clusters that share most beyond chance are merged first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/merge.hpp"

namespace phida {

// An undirected edge; several of one pair add up.
struct WeightedEdge {
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int64_t weight = 0;
};

struct ModularityMerges {
  // As long as any two clusters share anything. The height is (k k - T S) / T^2: below 0 where modularity is gained.
  std::vector<Merge> merges;
  std::size_t level = 0;  // the merges that gain modularity
};

// `loop` is what each vertex shares with itself, counted twice as in its strength k. Ties: the lower first name, then
// the lower second one.
ModularityMerges maximise_modularity(std::span<const WeightedEdge> edges,
                                     std::span<const std::int64_t> loop);

}  // namespace phida
