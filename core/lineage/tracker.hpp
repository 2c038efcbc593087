// Follows clusters from mapping to mapping: gathers evidence for what has changed, and confirms it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lineage/lineage.hpp"

namespace phida {

struct Mapping {
  std::span<const std::int32_t> cluster;  // per node: 0 .. n_clusters - 1, none empty, or kNone
  std::size_t n_clusters = 0;
  std::span<const double> support;  // per node
  std::span<const std::int64_t> birth;  // per node: samples learned before it, or empty for all
  std::int64_t sample = 0;          // samples learned
  bool fades = false;               // samples fade: a cluster that gets no more of them dies
  bool certain = false;             // all that it shows is confirmed at once
};

class Tracker {
 public:
  void update(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);

 private:
  // What a living cluster has in a cluster of the mapping.
  struct Overlap {
    std::int32_t living = 0;
    std::int32_t cluster = 0;
    double support = 0.0;
    double weight = 0.0;  // recent wins, or support; nodes that belong to a candidate count less
  };

  // The position of a node's cluster among the living, or kNone.
  std::int32_t living_of(std::size_t node, const LineageColumns& nodes, const Lineage& lineage);
  void count_wins(const Mapping& mapping, LineageColumns& nodes, const Lineage& lineage);
  void update_rates(const Mapping& mapping, Lineage& lineage);
  void add_wins(std::int32_t living, std::int64_t won, std::int64_t sample, Lineage& lineage);
  void find_main(const Mapping& mapping, const LineageColumns& nodes, const Lineage& lineage);
  void follow_moves(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  void follow_new_nodes(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  void look_for_merges(const Mapping& mapping, Lineage& lineage);
  void look_for_births(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  void match_candidates(const Mapping& mapping, const LineageColumns& nodes);
  void drop_candidates(LineageColumns& nodes, Lineage& lineage);
  void settle_nodes(const Mapping& mapping, LineageColumns& nodes, const Lineage& lineage) const;
  void end_silent(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  std::int32_t heir_of(std::size_t living, const Lineage& lineage) const;
  std::int32_t far_parent(double evidence, const Lineage& lineage) const;
  void confirm_merges(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  void confirm_births(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage);
  // It has just stopped winning, so that it may have moved.
  bool is_falling(std::int32_t living, const Lineage& lineage) const;
  // It still wins, or has moved. One that is quiet has not lost to another what it would have won.
  bool may_be_parent(std::int32_t living, const Lineage& lineage) const;
  // In no cluster so far. What it wins counts when a mapping shows where it belongs.
  static bool waits(std::size_t node, const Mapping& mapping, const LineageColumns& nodes) {
    return !mapping.birth.empty() && mapping.cluster[node] == kNone &&
           nodes.cluster_id[node] == kNone;
  }
  bool is_free(std::int32_t cluster) const { return cluster != kNone && owner_[cluster] == kNone; }

  std::span<const double> support_;   // per node, of the mapping at hand
  std::vector<std::int32_t> place_;   // per node: the latest answer of living_of
  std::vector<std::int64_t> won_;     // per node: since the last mapping
  std::vector<std::int64_t> won_by_;  // per living cluster
  std::vector<std::int32_t> main_;    // per living cluster: where it is in the mapping, or kNone
  std::vector<std::int32_t> owner_;   // per cluster: the living cluster that it is, or kNone
  std::vector<std::int64_t> won_in_;  // per cluster
  std::vector<std::int64_t> candidate_of_;  // per cluster: the candidate that it is, or kNone
  std::vector<std::uint8_t>
      quiet_;  // per living cluster: it was silent at the last mapping already
  std::vector<std::uint8_t> fell_lately_;  // per living cluster: and not before
  std::vector<std::uint8_t> shown_;        // per candidate: by this mapping
};

}  // namespace phida
