#include "lineage/cluster_ids.hpp"

#include <algorithm>

namespace phida {
namespace {

struct Share {
  std::int64_t id = kNone;
  double weight = 0.0;
};

// Per cluster, the living id with most of the weight (ties: the lower one), or kNone.
std::vector<std::int64_t> most_common(const ClusteredNodes& nodes,
                                      std::span<const std::int64_t> id_of_node,
                                      const Lineage& lineage) {
  std::vector<std::vector<Share>> shares(nodes.n_clusters);
  for (std::size_t i = 0; i < nodes.cluster.size(); ++i) {
    const std::int64_t id = id_of_node[i];
    if (nodes.cluster[i] == kNone || id == kNone) continue;
    std::vector<Share>& in = shares[nodes.cluster[i]];
    auto same = std::find_if(in.begin(), in.end(), [&](const Share& s) { return s.id == id; });
    if (same == in.end()) same = in.insert(in.end(), {id, 0.0});
    same->weight += nodes.weight[i];
  }
  std::vector<std::int64_t> ids;
  for (const std::vector<Share>& in : shares) {
    Share most;
    for (const Share& share : in)
      if (position_of(share.id, lineage.living) != kNone &&
          (most.id == kNone || share.weight > most.weight ||
           (share.weight == most.weight && share.id < most.id)))
        most = share;
    ids.push_back(most.id);
  }
  return ids;
}

}  // namespace

std::vector<std::int64_t> ids_of_clusters(const ClusteredNodes& nodes,
                                          const LineageColumns& columns, const Lineage& lineage) {
  const std::vector<LivingCluster>& living = lineage.living;
  std::vector<std::int64_t> ids = most_common(nodes, columns.cluster_id, lineage);
  if (std::find(ids.begin(), ids.end(), kNone) == ids.end()) return ids;
  const std::vector<std::int64_t> parents = most_common(nodes, columns.parent_id, lineage);
  const auto largest = std::max_element(
      living.begin(), living.end(),
      [](const LivingCluster& a, const LivingCluster& b) { return a.support < b.support; });
  for (std::size_t c = 0; c < ids.size(); ++c) {
    if (ids[c] != kNone) continue;
    if (living.empty())
      ids[c] = lineage.n_ids + static_cast<std::int64_t>(c);
    else
      ids[c] = parents[c] != kNone ? parents[c] : largest->id;
  }
  return ids;
}

}  // namespace phida
