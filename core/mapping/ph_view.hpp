// What one refresh found, from the PH graph to the hierarchy of components; and the paper's map from nodes to clusters.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/component_hierarchy.hpp"
#include "mapping/component_mass.hpp"
#include "mapping/node_map.hpp"
#include "topology/h0_persistence.hpp"
#include "topology/knn_graph.hpp"
#include "topology/ph_components.hpp"

namespace phida {

// Vertices are positions in `members`.
struct PhView {
  std::vector<std::int32_t> members;  // A: the nodes that the graph was built over
  std::vector<double> support;        // theirs
  KnnGraph graph;
  std::vector<std::uint8_t> input;  // per vertex: takes part in the persistence
  Persistence persistence;
  PhComponents components;
  ComponentMass mass;
  ComponentHierarchy hierarchy;

  std::size_t n_components() const { return components.count(); }
  std::size_t n_clusters() const { return components.count() - hierarchy.level; }
};

// The paper's rule: PH components are merged in the hierarchy. There are `n_nodes` nodes.
void map_published(const PhView& ph, std::size_t n_nodes, NodeMap& out);

// Every merge that the paper's rule would make if it did not stop at the least number of clusters.
std::vector<Merge> all_merges(const PhView& ph);

}  // namespace phida
