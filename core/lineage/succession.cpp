#include "lineage/succession.hpp"

#include <algorithm>
#include <tuple>

namespace phida {

std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living) {
  const auto at = std::lower_bound(living.begin(), living.end(), id,
                                   [](const LivingCluster& c, std::int64_t i) { return c.id < i; });
  return at == living.end() || at->id != id ? kNone
                                            : static_cast<std::int32_t>(at - living.begin());
}

// Three rounds, each with what the ones before left, and in each the largest overlap first. A living id goes to where
// the nodes are that were always its own; then to where any of its nodes are; and a cluster that is left takes the id
// of a cluster that is no more, if most of it was that.
void SuccessionFinder::find(const NodeState& nodes, std::span<const std::int32_t> cluster,
                            std::size_t n_clusters, std::span<const LivingCluster> living,
                            Succession& out) {
  out.id.assign(n_clusters, kNone);
  out.support.assign(n_clusters, 0.0);
  out.parent.assign(n_clusters, kNone);
  out.from_parent.assign(n_clusters, 0.0);
  out.successor.assign(living.size(), kNone);
  out.in_successor.assign(living.size(), 0.0);
  carried_.assign(living.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (cluster[i] != kNone) out.support[cluster[i]] += nodes.support[i];

  overlaps(nodes, cluster, [&](std::size_t i) {
    return nodes.home_id[i] == nodes.cluster_id[i] ? nodes.home_id[i] : kNone;
  });
  hand_over(living, out);
  overlaps(nodes, cluster, [&](std::size_t i) { return nodes.cluster_id[i]; });
  hand_over(living, out);
  for (const Overlap& o : overlaps_) {
    if (out.parent[o.cluster] == kNone) {
      out.parent[o.cluster] = o.id;
      out.from_parent[o.cluster] = o.support;
    }
    const std::int32_t k = position_of(o.id, living);
    if (k != kNone && out.successor[k] == kNone) {
      out.successor[k] = o.cluster;
      out.in_successor[k] = o.support;
    }
  }
  if (std::find(out.id.begin(), out.id.end(), kNone) == out.id.end()) return;
  overlaps(nodes, cluster, [&](std::size_t i) { return nodes.home_id[i]; });
  wake(living, out);
}

// What ids and new clusters share, by the id that `id_of` gives a node. Sums of supports are exact in any order.
template <class Id>
void SuccessionFinder::overlaps(const NodeState& nodes, std::span<const std::int32_t> cluster,
                                Id id_of) {
  overlaps_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (cluster[i] != kNone && id_of(i) != kNone)
      overlaps_.push_back({id_of(i), cluster[i], nodes.support[i]});
  std::sort(overlaps_.begin(), overlaps_.end(), [](const Overlap& a, const Overlap& b) {
    return std::tie(a.id, a.cluster) < std::tie(b.id, b.cluster);
  });
  std::size_t count = 0;
  for (const Overlap& o : overlaps_) {
    if (count > 0 && overlaps_[count - 1].id == o.id && overlaps_[count - 1].cluster == o.cluster)
      overlaps_[count - 1].support += o.support;
    else
      overlaps_[count++] = o;
  }
  overlaps_.resize(count);
  std::sort(overlaps_.begin(), overlaps_.end(), [](const Overlap& a, const Overlap& b) {
    return std::tie(b.support, a.id, a.cluster) < std::tie(a.support, b.id, b.cluster);
  });
}

void SuccessionFinder::hand_over(std::span<const LivingCluster> living, Succession& out) {
  for (const Overlap& o : overlaps_) {
    const std::int32_t k = position_of(o.id, living);
    if (k == kNone || carried_[k] || out.id[o.cluster] != kNone) continue;
    carried_[k] = 1;
    out.id[o.cluster] = o.id;
  }
}

// Only what most of a cluster was counts here: its first overlap.
void SuccessionFinder::wake(std::span<const LivingCluster> living, Succession& out) {
  std::vector<std::uint8_t> looked(out.id.size(), 0);
  std::vector<std::int64_t> woken;
  for (const Overlap& o : overlaps_) {
    if (looked[o.cluster] || out.id[o.cluster] != kNone) continue;
    looked[o.cluster] = 1;
    if (position_of(o.id, living) != kNone) continue;
    if (std::find(woken.begin(), woken.end(), o.id) != woken.end()) continue;
    woken.push_back(o.id);
    out.id[o.cluster] = o.id;
  }
}

}  // namespace phida
