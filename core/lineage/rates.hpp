// Rates of wins of living clusters, and deviations from them.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Updates the rates of all living clusters with their wins.
void update_rates(Comparison& now);

// Adds wins that are attributed to a cluster later.
void add_wins(std::int32_t living, std::int64_t won, Comparison& now);

// Restarts the estimate of a cluster's rate.
void restart_rate(LivingCluster& cluster);

// Whether the cluster has just stopped winning: it may have moved.
bool is_falling(std::int32_t living, const Comparison& now);

// Whether the evidence that the cluster has stopped winning suffices at this mapping, as it did at the one before.
bool is_silent(std::size_t living, const Comparison& now);

// The cluster into which a silent one has moved, or kNone: the one in its place, if it gains the missing wins.
std::int32_t heir_of(std::size_t living, const Comparison& now);

// The cluster that lost the wins of a new one, or kNone. `evidence` is the number of these wins, `inside` the cluster of
// the new one's nodes, and `beside` the one next to which they were created; either may be kNone.
std::int32_t parent_of(std::int32_t inside, std::int32_t beside, double evidence,
                       const Comparison& now);

}  // namespace phida
