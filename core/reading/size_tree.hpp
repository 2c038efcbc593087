// Another tree over the nodes of PHIDA+, for cuts into a given number of clusters (spec section 13.4).
#pragma once

#include <memory>

#include "reading/reading.hpp"

namespace phida {

// The same clusters, whose merges count by size: a split is made early if many rows lie far apart on its two sides. The
// tree by prominence would first split off single nodes, which no valley separates from the others.
std::shared_ptr<const Reading> by_size(const Reading& reading);

}  // namespace phida
