// Candidates with enough evidence become events, and silent clusters end.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Births and splits. If no node of the mapping has an id, the strongest cluster is confirmed.
void confirm_births(Comparison& now);

// Ends clusters that have no nodes left, or that are silent while samples fade. They die, or merge if they have moved
// into another cluster. A dead cluster that wins again while some of its nodes are left is revived.
void end_silent(Comparison& now);

void confirm_merges(Comparison& now);

}  // namespace phida
