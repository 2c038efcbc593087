// Follows clusters from mapping to mapping: collects evidence for changes, and confirms them.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

class Tracker {
 public:
  void update(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
};

}  // namespace phida
