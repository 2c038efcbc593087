// Candidates for events: what a mapping shows and the living clusters do not have.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Two living clusters in one place.
void look_for_merges(Comparison& now);

// Clusters of the mapping that are none of the living.
void look_for_births(Comparison& now);

// Drops candidates that the mapping does not show and that have no evidence left.
void drop_candidates(Comparison& now);

}  // namespace phida
