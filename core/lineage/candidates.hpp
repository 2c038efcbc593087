// Candidates for events: differences between a mapping and the living clusters.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

// Finds pairs of living clusters in one place.
void look_for_merges(Comparison& now);

// Finds clusters of the mapping that are not living clusters.
void look_for_births(Comparison& now);

// Drops candidates without evidence that the mapping lacks.
void drop_candidates(Comparison& now);

}  // namespace phida
