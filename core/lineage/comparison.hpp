// One mapping next to the living clusters: which of its clusters is which of them, and what they have won since the last one.
#pragma once

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
  bool fades = false;               // samples fade: a cluster that gets no more of them dies
  bool certain = false;             // all that it shows is confirmed at once
  // Per node: samples learned before it. Where given, wins of nodes in no cluster wait until a mapping shows them in one.
  std::span<const std::int64_t> birth = {};
};

// The steps of a comparison share it. They change the lineage and its columns, and keep these records up to date.
struct Comparison {
  Comparison(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);

  const Mapping& mapping;
  LineageColumns& nodes;
  Lineage& lineage;

  std::vector<std::int64_t> won;     // per node: since the last mapping
  std::vector<std::int64_t> won_by;  // per living cluster
  std::vector<std::int64_t> won_in;  // per cluster
  std::vector<std::int32_t> main;    // per living cluster: where it is in the mapping, or kNone
  std::vector<std::int32_t> owner;   // per cluster: the living cluster that it is, or kNone
  std::vector<std::uint8_t> quiet;   // per living cluster: silent at the last mapping already
  std::vector<std::uint8_t> fell_lately;  // per living cluster: and not before
  std::vector<std::uint8_t> shown;        // per candidate: by this mapping

  // A node in no cluster so far. What it wins counts when a mapping shows where it belongs.
  bool waits(std::size_t node) const {
    return !mapping.birth.empty() && mapping.cluster[node] == kNone &&
           nodes.cluster_id[node] == kNone;
  }
  bool is_free(std::int32_t cluster) const { return cluster != kNone && owner[cluster] == kNone; }
};

// Finds the cluster of the mapping in which each living cluster is: the one with most of its support or, if samples
// fade, of its recent wins. If several living clusters are in the same one, the strongest is its owner.
void find_main(Comparison& now);

// If new nodes appear beside a living cluster that has just stopped winning, that cluster has moved to them.
void follow_moves(Comparison& now);

// A new node joins the living cluster that it appeared beside, if the mapping has both in the same cluster, or if the
// living cluster seems to have moved there.
void follow_new_nodes(Comparison& now);

// A new node joins the living cluster that owns its cluster of the mapping. Other nodes change to it once they have won
// enough there.
void settle_nodes(Comparison& now);

// Sums by id; of equal sums, the lower id is the largest.
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
