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
// of a cluster that is no more, if more than half of it was that.
void SuccessionFinder::find(const NodeState& nodes, std::span<const std::int32_t> cluster,
                            std::size_t n_clusters, std::span<const LivingCluster> living,
                            Succession& out) {
  out.id.assign(n_clusters, kNone);
  out.carries.assign(n_clusters, 0);
  out.support.assign(n_clusters, 0.0);
  out.goes_on.assign(living.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (cluster[i] != kNone) out.support[cluster[i]] += nodes.support[i];

  collect(nodes, cluster, nodes.cluster_id, n_clusters);
  assign_ids(living, &Overlap::own, out);
  assign_ids(living, &Overlap::support, out);
  find_relatives(living, out);
  if (std::find(out.id.begin(), out.id.end(), kNone) == out.id.end()) return;
  collect(nodes, cluster, nodes.origin_id, n_clusters);
  revive(living, out);
}

// What `ids`, one per node, and new clusters share.
void SuccessionFinder::collect(const NodeState& nodes, std::span<const std::int32_t> cluster,
                               std::span<const std::int64_t> ids, std::size_t n_clusters) {
  overlaps_.clear();
  first_.assign(n_clusters, kNone);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (cluster[i] == kNone || ids[i] == kNone) continue;
    std::int32_t o = first_[cluster[i]];
    while (o != kNone && overlaps_[o].id != ids[i]) o = overlaps_[o].next;
    if (o == kNone) {
      o = static_cast<std::int32_t>(overlaps_.size());
      overlaps_.push_back({ids[i], cluster[i], first_[cluster[i]]});
      first_[cluster[i]] = o;
    }
    overlaps_[o].support += nodes.support[i];
    if (nodes.origin_id[i] == ids[i]) overlaps_[o].own += nodes.support[i];
  }
}

void SuccessionFinder::assign_ids(std::span<const LivingCluster> living, double Overlap::* shared,
                                  Succession& out) {
  const auto larger = [&](const Overlap& a, const Overlap& b) {
    return std::tie(b.*shared, a.id, a.cluster) < std::tie(a.*shared, b.id, b.cluster);
  };
  std::sort(overlaps_.begin(), overlaps_.end(), larger);
  for (const Overlap& o : overlaps_) {
    if (o.*shared == 0.0) break;
    const std::int32_t k = position_of(o.id, living);
    if (out.goes_on[k] || out.carries[o.cluster]) continue;
    out.goes_on[k] = out.carries[o.cluster] = 1;
    out.id[o.cluster] = o.id;
  }
}

// The overlaps are sorted, so that the first of each is its largest.
void SuccessionFinder::find_relatives(std::span<const LivingCluster> living,
                                      Succession& out) const {
  out.parent.assign(out.id.size(), kNone);
  out.from_parent.assign(out.id.size(), 0.0);
  out.successor.assign(living.size(), kNone);
  out.in_successor.assign(living.size(), 0.0);
  for (const Overlap& o : overlaps_) {
    if (out.parent[o.cluster] == kNone) {
      out.parent[o.cluster] = o.id;
      out.from_parent[o.cluster] = o.support;
    }
    const std::int32_t k = position_of(o.id, living);
    if (out.successor[k] != kNone) continue;
    out.successor[k] = o.cluster;
    out.in_successor[k] = o.support;
  }
}

// Of several clusters, the one that has more of it.
void SuccessionFinder::revive(std::span<const LivingCluster> living, Succession& out) {
  std::sort(overlaps_.begin(), overlaps_.end(), [](const Overlap& a, const Overlap& b) {
    return std::tie(b.support, a.id, a.cluster) < std::tie(a.support, b.id, b.cluster);
  });
  std::vector<std::uint8_t> looked = out.carries;
  std::vector<std::int64_t> revived;
  for (const Overlap& o : overlaps_) {
    if (looked[o.cluster] || 2.0 * o.support <= out.support[o.cluster]) continue;
    looked[o.cluster] = 1;
    const bool taken = std::find(revived.begin(), revived.end(), o.id) != revived.end();
    if (taken || position_of(o.id, living) != kNone) continue;
    revived.push_back(o.id);
    out.id[o.cluster] = o.id;
  }
}

}  // namespace phida
