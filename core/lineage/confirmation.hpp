// Turns candidates with enough evidence into events, and ends silent clusters.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Confirms births and splits. If no node of the mapping has an id, confirms the strongest cluster.
void confirm_births(Comparison& now);

// Ends clusters that have no nodes left, or that are silent while samples fade. They die, or merge if they have moved
// into another cluster. A dead cluster that wins again while it has nodes is revived.
void end_silent(Comparison& now);

void confirm_merges(Comparison& now);

}  // namespace phida
