// Comparison of a mapping with the living clusters: which clusters correspond, and their wins since the last mapping.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "lineage/lineage.hpp"

namespace phida {

struct Mapping {
  std::span<const std::int32_t> cluster;  // per node: 0 .. n_clusters - 1, none empty, or kNone
  std::size_t n_clusters = 0;
  std::span<const double> support;  // per node
  std::int64_t sample = 0;          // samples learned
  bool fades = false;               // samples fade: a cluster without new samples dies
  bool certain = false;             // every event shown is confirmed at once
  // Per node: samples learned before it. If given, wins of nodes without a cluster wait until a mapping assigns them.
  std::span<const std::int64_t> birth = {};
};

// State shared by the steps of a comparison. They change the lineage and its columns, and keep these records current.
struct Comparison {
  Comparison(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);

  const Mapping& mapping;
  LineageColumns& nodes;
  Lineage& lineage;
  LivingPositions position;  // valid until the living clusters change

  std::vector<std::int64_t> won;     // per node: since the last mapping
  std::vector<std::int64_t> won_by;  // per living cluster
  std::vector<std::int64_t> won_in;  // per cluster
  std::vector<std::int32_t> main;    // per living cluster: its cluster in the mapping, or kNone
  std::vector<std::int32_t> owner;   // per cluster: its living cluster, or kNone
  std::vector<std::uint8_t> quiet;   // per living cluster: already silent at the last mapping
  std::vector<std::uint8_t> fell_lately;  // per living cluster: silent only since then
  std::vector<std::uint8_t> shown;        // per candidate: shown by this mapping

  // A node without a cluster so far; its wins count once a mapping assigns it.
  bool waits(std::size_t node) const {
    return !mapping.birth.empty() && mapping.cluster[node] == kNone &&
           nodes.cluster_id[node] == kNone;
  }
  bool is_free(std::int32_t cluster) const { return cluster != kNone && owner[cluster] == kNone; }
  bool any_free() const { return std::find(owner.begin(), owner.end(), kNone) != owner.end(); }
};

// Finds the cluster of the mapping for each living cluster: the one with most of its support or, if samples fade, of
// its recent wins. If several living clusters share one, the strongest is its owner.
void find_main(Comparison& now);

// If new nodes appear next to a living cluster that has just stopped winning, it has moved to them.
void follow_moves(Comparison& now);

// A new node joins the living cluster next to which it appeared, if the mapping has both in one cluster, or if the
// living cluster seems to have moved there.
void follow_new_nodes(Comparison& now);

// A new node joins the living cluster that owns its cluster of the mapping. Other nodes change to it after enough
// wins there.
void settle_nodes(Comparison& now);

// Sums by id; among equal sums, the lower id counts as the largest.
class Shares {
 public:
  void add(std::int64_t id, double amount) { sums_[id] += amount; }
  std::pair<std::int64_t, double> largest() const {
    std::pair<std::int64_t, double> best{kNone, 0.0};
    for (const auto& share : sums_)
      if (share.second > best.second) best = share;
    return best;
  }

 private:
  std::map<std::int64_t, double> sums_;
};

}  // namespace phida
