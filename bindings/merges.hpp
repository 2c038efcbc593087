// The merges of a hierarchy as three columns.
#pragma once

#include "arrays.hpp"
#include "mapping/component_hierarchy.hpp"

namespace phida::bindings {

inline void put_merges(nb::dict& d, std::span<const Merge> merges) {
  std::vector<std::int64_t> into, from;
  std::vector<double> height;
  for (const Merge& merge : merges) {
    into.push_back(merge.into);
    from.push_back(merge.from);
    height.push_back(merge.height);
  }
  d["merge_into"] = to_array(into);
  d["merge_from"] = to_array(from);
  d["merge_height"] = to_array(height);
}

}  // namespace phida::bindings
