// An alternative tree over the nodes of PHIDA+, for cuts into a given number of clusters (spec section 13.4).
#pragma once

#include <memory>

#include "reading/reading.hpp"

namespace phida {

// The same clusters, merged by size: a split is early if many rows are far apart on its two sides. The tree by
// prominence would first split off single nodes without a valley around them.
std::shared_ptr<const Reading> by_size(const Reading& reading);

// A cut into a number of clusters: by the merges of the model or, if their heights are prominences and the number is not
// the model's own, by size.
std::shared_ptr<const Reading> with_clusters(const Reading& reading, std::size_t n);

}  // namespace phida
