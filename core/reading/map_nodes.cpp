#include "reading/map_nodes.hpp"

#include "mapping/coactivation.hpp"

namespace phida {
namespace {

// PH components, merged in the hierarchy.
NodeMap by_persistence(const PhView& ph, std::size_t n_nodes) {
  NodeMap map{Mapping::kPersistence, std::vector<std::int32_t>(n_nodes, kNone), ph.n_components(),
              ph.hierarchy.merges, ph.hierarchy.level};
  for (std::size_t v = 0; v < ph.members.size(); ++v)
    map.group[ph.members[v]] = ph.components.component[v];
  return map;
}

// Single nodes, merged by what they won together; no groups where no two ever did.
NodeMap by_coactivation(const NodeState& nodes) {
  std::vector<SharedWins> shared;
  nodes.co_wins.each([&](std::int32_t winner, std::int32_t runner_up, std::int64_t count) {
    shared.push_back({winner, runner_up, count});
  });
  Coactivation found;
  coactivate(nodes.support, shared, found);
  NodeMap map{Mapping::kCoactivation,
              std::vector<std::int32_t>(nodes.size(), kNone),
              found.members.size(),
              {},
              found.level};
  for (std::size_t g = 0; g < found.members.size(); ++g)
    map.group[found.members[g]] = static_cast<std::int32_t>(g);
  for (const CoactivationMerge& merge : found.merges)
    map.merges.push_back({merge.into, merge.from, -merge.excess});
  return map;
}

}  // namespace

NodeMap map_nodes(const NodeState& nodes, const PhView& ph, Mapping wanted) {
  if (wanted == Mapping::kCoactivation) {
    NodeMap map = by_coactivation(nodes);
    if (map.n_groups > 0) return map;
  }
  return by_persistence(ph, nodes.size());
}

}  // namespace phida
