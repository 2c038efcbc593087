// PH-stable masses of components, and the minimum number of clusters from them (spec section 8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/ph_components.hpp"

namespace phida {

struct ComponentMass {
  std::vector<double> node;       // per vertex, 0 outside the map
  std::vector<double> component;  // S*, per component
  std::size_t minimum_count = 1;  // C_min
};

void weigh_components(const PhComponents& components, std::span<const double> support,
                      std::vector<double>& scratch, ComponentMass& out);

}  // namespace phida
