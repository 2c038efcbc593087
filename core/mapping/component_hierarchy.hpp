// The PH-constrained hierarchy over components (spec section 8): adjacent groups are merged, the cheapest pair first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/component_mass.hpp"
#include "mapping/merge.hpp"
#include "topology/knn_graph.hpp"

namespace phida {

struct ComponentHierarchy {
  FeatureTransform transform;  // of the rows in the map; center_centroids adds its centre
  std::int32_t origin = 0;     // the row at 0 of the centroids before center_centroids
  RowMatrix centroid;          // per component, in the transformed space
  KnnGraph graph;              // adjacency of the components
  std::vector<Merge> merges;   // of components; the height is the increase in weighted dispersion
  std::size_t level = 0;       // level of the cut
};

class HierarchyBuilder {
 public:
  // Mass-weighted centroids of the components of the rows in `members` (positions as in `components`), in the metric
  // defined by the rows inside the map.
  void find_centroids(const RowMatrix& rows, std::span<const std::int32_t> members,
                      const PhComponents& components, const ComponentMass& mass,
                      ComponentHierarchy& out);

  // Merges until `minimum_count` groups are left or no two are adjacent, then cuts.
  void agglomerate(const ComponentMass& mass, ComponentHierarchy& out);

 private:
  // Two adjacent groups, the lower first, and the cost of uniting them.
  struct Link {
    std::int32_t a = 0;
    std::int32_t b = 0;
    double cost = 0.0;
  };

  double cost(std::int32_t a, std::int32_t b) const;
  void unite(std::int32_t into, std::int32_t from);

  ColumnQuartiles quartiles_;
  ColumnQuartiles centroid_quartiles_;
  FeatureTransform centroid_transform_;
  KnnGraphBuilder graph_builder_;
  std::vector<std::int32_t> inside_;
  std::vector<std::int32_t> all_;
  RowMatrix position_;          // mu, per group
  std::vector<double> weight_;  // W, per group
  std::vector<Link> links_;
  std::vector<std::uint8_t> seen_;  // per group
};

// For records: completes the transformation and moves the centroids' origin to its centre. `inside` lists the rows in
// the map. Only readers need the centre, so it is computed on demand.
void center_centroids(const RowMatrix& rows, std::span<const std::int32_t> inside,
                      ComponentHierarchy& hierarchy);

// The level before the largest jump between successive merge heights (0, then those of `merges`). Jumps that agree to
// rounding count as equal, and the one that ends higher wins. Heights may decrease, so jumps may be negative.
std::size_t cut_level(std::span<const Merge> merges);

}  // namespace phida
