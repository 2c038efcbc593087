// From fine nodes to output clusters (spec section 13): H0 persistence of the density, at several scales.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/node_map.hpp"
#include "topology/density.hpp"

namespace phida {

// A peak of density, and its meeting with a higher one.
struct DensityPeak {
  std::int32_t node = 0;
  double birth = 0.0;         // height of the peak
  double death = 0.0;         // height of the saddle; -infinity if it met no higher peak
  std::int32_t partner = -1;  // the higher peak, or -1
  double chance = 0.0;        // the prominence expected by chance
  std::int32_t scale = 0;     // number of neighbours per density
};

// Two nodes whose edge joins two trees.
struct Link {
  std::int32_t a = 0, b = 0;
};

struct DensityMap {
  NodeMap map;                     // leaves are nodes; heights are prominence over chance
  std::vector<double> prominence;  // per merge of `map`
  std::vector<double> chance;      // per merge of `map`
  std::vector<Link> link;          // per merge of `map`
  std::vector<DensityPeak> peaks;
  std::vector<std::int32_t> base;  // per node: the highest peak of its cluster
};

DensityMap map_density(const DensityInput& input);

// Makes every node a leaf of a map whose number of leaves and merges are known, as `map_density` does.
void name_leaves(NodeMap& map);

// The merges of a map, and further ones of infinite height between trees that no edge connects: the nearest first.
std::vector<Merge> all_merges(const NodeMap& map, const RowMatrix& place);

}  // namespace phida
