// Which cluster of a new mapping carries on which cluster of the last one. Nodes persist, so what two clusters share is
// known exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nodes/node_state.hpp"

namespace phida {

// A cluster of the last committed mapping.
struct LivingCluster {
  std::int64_t id = 0;  // never reused
  double support = 0.0;
};

// Per cluster of the new mapping, and per living one, what became of it.
struct Succession {
  std::vector<std::int64_t> id;      // per new cluster; kNone where it carries on none
  std::vector<double> support;       // per new cluster
  std::vector<std::int64_t> parent;  // per new cluster: the living id that most of it was, or kNone
  std::vector<double> from_parent;   // per new cluster: the support that it shares with that
  std::vector<std::int32_t>
      successor;  // per living cluster: the new one that most of it is in, or kNone
  std::vector<double> in_successor;  // per living cluster: the support that it shares with that
};

class SuccessionFinder {
 public:
  // `cluster` is the new mapping: a label (0 .. n_clusters - 1, none empty) or kNone per node. `living` is in ascending
  // order of ids.
  void find(const NodeState& nodes, std::span<const std::int32_t> cluster, std::size_t n_clusters,
            std::span<const LivingCluster> living, Succession& out);

 private:
  // What a cluster that had this id and one of the new mapping share.
  struct Overlap {
    std::int64_t id = 0;
    std::int32_t cluster = 0;
    double support = 0.0;
  };

  template <class Id>
  void overlaps(const NodeState& nodes, std::span<const std::int32_t> cluster, Id id_of);
  void hand_over(std::span<const LivingCluster> living, Succession& out);
  void wake(std::span<const LivingCluster> living, Succession& out);

  std::vector<Overlap> overlaps_;      // the largest first
  std::vector<std::uint8_t> carried_;  // per living cluster: its id goes on
};

// Position of an id among living clusters, or kNone.
std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living);

}  // namespace phida
