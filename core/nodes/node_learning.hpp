// Effect of samples on nodes (spec steps 5 and 6).
#pragma once

#include <cstdint>

#include "nodes/node_state.hpp"
#include "simd/kernels.hpp"

namespace phida {

// Creates a node at a sample (a padded row).
inline void create_node(NodeState& nodes, const double* sample, double scale, std::int64_t step,
                        std::int64_t id) {
  nodes.representative.append(sample);
  nodes.mean.append(sample);
  nodes.m2.resize(nodes.m2.rows() + 1);
  nodes.support.push_back(1.0);
  nodes.scale.push_back(scale);
  nodes.active.push_back(0);
  nodes.birth.push_back(step);
  nodes.id.push_back(id);
  nodes.component.push_back(kNone);
  nodes.lineage.append();
  nodes.stamp.push_back(++nodes.changes);
}

// Moves node i towards the sample by `gain` / (its new support), and adds the sample to its moments.
inline void update_node(NodeState& nodes, std::int32_t i, const double* sample, double gain) {
  const Kernels& k = kernels();
  const std::size_t n = nodes.representative.stride();
  const double support = nodes.support[i] += 1.0;
  k.move_towards(sample, gain / support, nodes.representative[i], n);
  k.welford(sample, support, nodes.mean[i], nodes.m2[i], n);
  nodes.stamp[i] = ++nodes.changes;
}

// The activity test: is M_i at least the median of the supports above 1? As a count, without a sort: the median of a
// list that contains M_i is at most M_i if and only if more than half of the list is.
inline bool has_median_support(const NodeState& nodes, std::int32_t i) {
  std::size_t above_one = 0, up_to = 0;
  kernels().count_supports(nodes.support.data(), nodes.size(), nodes.support[i], &above_one,
                           &up_to);
  return 2 * up_to > above_one;
}

}  // namespace phida
