#include "mapping/ph_view.hpp"

namespace phida {

void map_published(const PhView& ph, std::size_t n_nodes, NodeMap& out) {
  out.leaf.assign(n_nodes, -1);
  for (std::size_t v = 0; v < ph.members.size(); ++v)
    out.leaf[ph.members[v]] = ph.components.component[v];
  out.n_leaves = ph.n_components();
  out.merges = ph.hierarchy.merges;
  out.level = ph.hierarchy.level;
  out.complete = ph.mass.minimum_count == 1;
  out.transform = ph.hierarchy.transform;
  out.leaves = Leaf::kComponent;
  out.height = Height::kDispersion;
  out.scoring = Scoring::kPublished;
}

std::vector<Merge> all_merges(const PhView& ph) {
  ComponentHierarchy hierarchy = ph.hierarchy;
  ComponentMass mass = ph.mass;
  mass.minimum_count = 1;
  HierarchyBuilder().agglomerate(mass, hierarchy);
  return hierarchy.merges;
}

}  // namespace phida
