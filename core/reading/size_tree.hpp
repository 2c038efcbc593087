// An alternative tree over the nodes of PHIDA+, for cuts into a given number of clusters (spec section 13.4).
#pragma once

#include <memory>

#include "reading/reading.hpp"

namespace phida {

// The same clusters, merged by size: a split is early if many rows are far apart on its two sides. The tree by
// prominence would first split off single nodes without a valley around them.
std::shared_ptr<const Reading> by_size(const Reading& reading);

}  // namespace phida
