// Flow between nodes that no valley separates (PHIDA+, section 3 of its specification). Not in the paper.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/modularity.hpp"

namespace phida {

// Samples that had one node as winner and another one as runner-up, and how far they stood off from the plane between
// the two: sums of u and of u^2, where u is 0 on the plane and 1 level with the winner.
struct DirectedPair {
  std::int32_t winner = 0;
  std::int32_t runner_up = 0;
  std::int64_t count = 0;  // in units
  double offset = 0.0;
  double offset_square = 0.0;
};

struct PairCounts {
  std::vector<DirectedPair> pairs;     // one entry a pair, ascending by winner, then runner-up
  std::vector<std::int64_t> unpaired;  // per node: counts whose runner-up is gone
  std::int64_t unit = 1;               // what one sample counts
};

// Why no samples flow between two nodes.
enum class Cut : std::uint8_t {
  kNone,
  kValley,  // the samples between the two stand off from the plane
  kAlone,   // the winner's samples stand off from all planes around it
};

struct Flow {
  std::vector<std::int32_t> members;  // V: the nodes that take part, ascending
  std::vector<WeightedEdge> edges;    // S, in positions of `members`, a < b, ascending
  std::vector<std::int64_t> loop;     // per member: twice what it won that flows nowhere
  std::vector<Cut> cut;               // per pair of the counts
};

// Do the samples stand off from the plane? No density that does not rise away from it has mean^2 > 3/4 mean square; two
// standard errors of the uniform case, nearly, are asked on top. Up to four samples never do, whatever rounding says.
bool is_valley(double count, double offset, double offset_square);

// Empty `members` where no two nodes with support above 1 (or any, if there are none) have counts with each other.
Flow find_flow(std::span<const double> support, const PairCounts& counts);

}  // namespace phida
