// How often living clusters win, and whether they win less or more than that.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Brings the rates of all living clusters up to date with what they have won.
void update_rates(Comparison& now);

// Wins that turn out to be a cluster's own.
void add_wins(std::int32_t living, std::int64_t won, Comparison& now);

// From now on, the rate of a cluster is another one.
void restart_rate(LivingCluster& cluster);

// It has just stopped winning, so that it may have moved.
bool is_falling(std::int32_t living, const Comparison& now);

// It wins nothing, and did not at the last mapping either.
bool is_silent(std::size_t living, const Comparison& now);

// The cluster that a silent one has moved into, or kNone: the one in its place, if that gains what the silent one misses.
std::int32_t heir_of(std::size_t living, const Comparison& now);

// The cluster that has lost what a new one has won, its evidence, or kNone. `inside` is the one that the new cluster's
// nodes belong to, `beside` the one that they came next to; either may be kNone.
std::int32_t parent_of(std::int32_t inside, std::int32_t beside, double evidence,
                       const Comparison& now);

}  // namespace phida
