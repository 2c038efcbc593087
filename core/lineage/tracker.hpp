// Follows clusters from mapping to mapping: gathers evidence for what has changed, and confirms it.
#pragma once

#include "lineage/comparison.hpp"

namespace phida {

class Tracker {
 public:
  void update(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
};

}  // namespace phida
