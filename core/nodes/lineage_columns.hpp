// What the lineage keeps per node. Learning carries the columns along and does not read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

constexpr std::int32_t kNone = -1;

struct LineageColumns {
  std::vector<std::int64_t> cluster_id;  // the confirmed cluster, or kNone
  std::vector<std::int64_t>
      parent_id;  // the confirmed cluster that the node came next to, or kNone
  std::vector<std::int64_t> candidate;   // the candidate that it belongs to, or kNone
  std::vector<std::int64_t> won;         // samples won, and those of removed nodes nearest to it
  std::vector<std::int64_t> won_mapped;  // of those, before the last mapping
  std::vector<double> recent;            // samples won, those before each mapping counting half
  std::vector<std::int64_t> away;  // samples won since mappings show the node in another cluster

  std::size_t size() const { return won.size(); }

  // Whether the lineage knows nothing of a node, as of those that come from another model.
  bool is_unnamed(std::size_t i) const {
    return cluster_id[i] == kNone && parent_id[i] == kNone && candidate[i] == kNone;
  }

  // A node that has won its first sample.
  void append() {
    cluster_id.push_back(kNone);
    parent_id.push_back(kNone);
    candidate.push_back(kNone);
    won.push_back(1);
    won_mapped.push_back(0);
    recent.push_back(0.0);
    away.push_back(0);
  }

  // Keeps the nodes named in `kept` (ascending) and their order.
  void keep(std::span<const std::size_t> kept) {
    const auto compact = [&](auto& values) {
      for (std::size_t to = 0; to < kept.size(); ++to) values[to] = values[kept[to]];
      values.resize(kept.size());
    };
    compact(cluster_id);
    compact(parent_id);
    compact(candidate);
    compact(won);
    compact(won_mapped);
    compact(recent);
    compact(away);
  }
};

}  // namespace phida
