#include "lineage/comparison.hpp"

#include <tuple>

#include "lineage/rates.hpp"

namespace phida {
namespace {

// Wins after which a node changes to the cluster that mappings show it in.
constexpr std::int64_t kNodeEvidence = 20;

// Weight of a candidate's nodes in locating their living cluster. Below 1, so that the two halves of a cluster do not
// swap roles between mappings.
constexpr double kOfCandidate = 1.0 / 3.0;

// The part of a living cluster that is in a cluster of the mapping.
struct Overlap {
  std::int32_t cluster = 0;
  std::int32_t next = kNone;  // another part of the same living cluster
  double support = 0.0;
  double weight = 0.0;  // recent wins, or support; nodes of a candidate count less

  // Ties: the lower cluster.
  bool exceeds(const Overlap& other) const {
    return std::tie(weight, support, other.cluster) >
           std::tie(other.weight, other.support, cluster);
  }
};

}  // namespace

Comparison::Comparison(const Mapping& mapping_, LineageColumns& nodes_, Lineage& lineage_)
    : mapping(mapping_),
      nodes(nodes_),
      lineage(lineage_),
      position(lineage_.living),
      won(nodes_.size()),
      won_by(lineage_.living.size(), 0),
      won_in(mapping_.n_clusters, 0),
      shown(lineage_.candidates.size(), 0) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    won[i] = nodes.won[i] - nodes.won_mapped[i];
    if (!waits(i)) nodes.recent[i] = 0.5 * nodes.recent[i] + static_cast<double>(won[i]);
    const std::int32_t k = position.of(nodes.cluster_id[i]);
    if (k != kNone) won_by[k] += won[i];
    if (mapping.cluster[i] != kNone) won_in[mapping.cluster[i]] += won[i];
  }
}

void find_main(Comparison& now) {
  std::vector<Overlap> overlaps;
  std::vector<std::int32_t> first(now.lineage.living.size(), kNone);
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    const std::int32_t k = now.position.of(now.nodes.cluster_id[i]), c = now.mapping.cluster[i];
    if (k == kNone || c == kNone) continue;
    std::int32_t at = first[k];
    while (at != kNone && overlaps[at].cluster != c) at = overlaps[at].next;
    if (at == kNone) {
      at = static_cast<std::int32_t>(overlaps.size());
      overlaps.push_back({c, first[k]});
      first[k] = at;
    }
    overlaps[at].support += now.mapping.support[i];
    const double weight = now.mapping.fades ? now.nodes.recent[i] : now.mapping.support[i];
    overlaps[at].weight += weight * (now.nodes.candidate[i] == kNone ? 1.0 : kOfCandidate);
  }
  now.main.assign(now.lineage.living.size(), kNone);
  now.owner.assign(now.mapping.n_clusters, kNone);
  std::vector<double> owned(now.mapping.n_clusters, 0.0);
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] == kNone) continue;
    const Overlap* best = &overlaps[first[k]];
    for (std::int32_t at = best->next; at != kNone; at = overlaps[at].next)
      if (overlaps[at].exceeds(*best)) best = &overlaps[at];
    now.main[k] = best->cluster;
    std::int32_t& owner = now.owner[best->cluster];
    if (owner != kNone && best->support <= owned[best->cluster]) continue;
    owner = static_cast<std::int32_t>(k);
    owned[best->cluster] = best->support;
  }
}

void follow_moves(Comparison& now) {
  const std::vector<std::uint8_t>& fell = now.fell_lately;
  if (std::find(fell.begin(), fell.end(), 1) == fell.end()) return;
  LineageColumns& nodes = now.nodes;
  std::vector<Shares> beside(now.mapping.n_clusters);
  std::vector<double> support(now.mapping.n_clusters, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = now.mapping.cluster[i];
    if (!now.is_free(c)) continue;
    support[c] += now.mapping.support[i];
    if (nodes.cluster_id[i] == kNone && nodes.parent_id[i] != kNone)
      beside[c].add(nodes.parent_id[i], now.mapping.support[i]);
  }
  for (std::size_t at = 0; at < now.mapping.n_clusters; ++at) {
    const auto c = static_cast<std::int32_t>(at);
    const auto [id, share] = beside[at].largest();
    if (!now.is_free(c) || now.won_in[at] == 0 || id == kNone || 2.0 * share < support[at])
      continue;
    const std::int32_t k = position_of(id, now.lineage.living);
    if (k == kNone || !is_falling(k, now)) continue;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (now.mapping.cluster[i] != c) continue;
      nodes.cluster_id[i] = id;
      nodes.candidate[i] = kNone;
    }
    add_wins(k, now.won_in[at], now);
    now.owner[at] = k;
    now.main[k] = c;
  }
}

void follow_new_nodes(Comparison& now) {
  LineageColumns& nodes = now.nodes;
  bool moved = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = now.mapping.cluster[i];
    if (c == kNone || now.is_free(c) || nodes.cluster_id[i] != kNone || nodes.candidate[i] != kNone)
      continue;
    const std::int32_t k = now.position.of(nodes.parent_id[i]);
    if (k == kNone || now.lineage.living[k].ended) continue;
    if (now.main[k] != c && !is_falling(k, now)) continue;
    nodes.cluster_id[i] = nodes.parent_id[i];
    add_wins(k, now.won[i], now);
    moved |= now.main[k] != c;
  }
  if (moved) find_main(now);
}

void settle_nodes(Comparison& now) {
  LineageColumns& nodes = now.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = now.mapping.cluster[i];
    if (c == kNone || now.is_free(c) || nodes.candidate[i] != kNone) continue;
    std::int64_t& id = nodes.cluster_id[i];
    const std::int64_t owner = now.lineage.living[now.owner[c]].id;
    const bool away = id != kNone && id != owner && now.main[now.position.of(id)] != c;
    nodes.away[i] = away ? nodes.away[i] + now.won[i] : 0;
    if (id != kNone && nodes.away[i] < kNodeEvidence) continue;
    id = owner;
    nodes.away[i] = 0;
  }
}

}  // namespace phida
