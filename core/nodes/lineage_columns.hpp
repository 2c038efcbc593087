// Columns of the lineage per node. Learning carries them along and does not read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phida {

constexpr std::int32_t kNone = -1;

struct LineageColumns {
  std::vector<std::int64_t> cluster_id;  // the confirmed cluster, or kNone
  std::vector<std::int64_t>
      parent_id;  // the confirmed cluster next to which the node was created, or kNone
  std::vector<std::int64_t> candidate;  // the candidate that it belongs to, or kNone
  // samples won, including those of removed nodes nearest to it
  std::vector<std::int64_t> won;
  std::vector<std::int64_t> won_mapped;  // part of these won before the last mapping
  std::vector<double> recent;            // samples won, where each mapping halves the earlier ones
  std::vector<std::int64_t> away;  // samples won since mappings show the node in another cluster

  std::size_t size() const { return won.size(); }

  // Whether the lineage has no data on a node, as for nodes of another model.
  bool is_unnamed(std::size_t i) const {
    return cluster_id[i] == kNone && parent_id[i] == kNone && candidate[i] == kNone;
  }

  // Appends a node that has won its first sample.
  void append() {
    cluster_id.push_back(kNone);
    parent_id.push_back(kNone);
    candidate.push_back(kNone);
    won.push_back(1);
    won_mapped.push_back(0);
    recent.push_back(0.0);
    away.push_back(0);
  }

  // Keeps only the nodes listed in `kept` (ascending), in order.
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
