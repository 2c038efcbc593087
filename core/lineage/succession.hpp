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

// What became of the living clusters, and where the new ones come from.
struct Succession {
  std::vector<std::int64_t> id;       // per new cluster; kNone where it is new
  std::vector<std::uint8_t> carries;  // per new cluster: the id is a living one
  std::vector<double> support;        // per new cluster
  std::vector<std::int64_t> parent;  // per new cluster: the living id that most of it was, or kNone
  std::vector<double> from_parent;   // per new cluster: the support that it shares with that
  std::vector<std::uint8_t> goes_on;  // per living cluster: a new one has its id
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
  // What the cluster that had this id and one of the new mapping share.
  struct Overlap {
    std::int64_t id = 0;
    std::int32_t cluster = 0;
    std::int32_t next = kNone;  // the next overlap of the same cluster
    double support = 0.0;
    double own = 0.0;  // of nodes that it is the origin of
  };

  void collect(const NodeState& nodes, std::span<const std::int32_t> cluster,
               std::span<const std::int64_t> ids, std::size_t n_clusters);
  void assign_ids(std::span<const LivingCluster> living, double Overlap::* shared, Succession& out);
  void find_relatives(std::span<const LivingCluster> living, Succession& out) const;
  void revive(std::span<const LivingCluster> living, Succession& out);

  std::vector<Overlap> overlaps_;
  std::vector<std::int32_t> first_;  // per new cluster, its first overlap
};

// Position of an id among living clusters, or kNone.
std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living);

}  // namespace phida
