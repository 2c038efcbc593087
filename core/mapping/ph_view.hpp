// Result of one refresh, from the PH graph to the hierarchy of components; and the paper's map from nodes to
// clusters.
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
  std::vector<std::int32_t> members;  // A: the nodes of the graph
  std::vector<double> support;        // their supports
  KnnGraph graph;
  std::vector<std::uint8_t> input;  // per vertex: part of the persistence
  Persistence persistence;
  PhComponents components;
  ComponentMass mass;
  ComponentHierarchy hierarchy;

  std::size_t n_components() const { return components.count(); }
  std::size_t n_clusters() const { return components.count() - hierarchy.level; }
};

// The paper's rule: PH components are merged in the hierarchy. There are `n_nodes` nodes.
void map_published(const PhView& ph, std::size_t n_nodes, NodeMap& out);

// Every merge of the paper's rule without its stop at the minimum number of clusters.
std::vector<Merge> all_merges(const PhView& ph);

}  // namespace phida
