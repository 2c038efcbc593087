// Columns of the lineage per node. Learning carries them along and does not read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida {

constexpr std::int32_t kNone = -1;

struct LineageColumns {
  std::vector<std::int64_t> cluster_id;  // the confirmed cluster, or kNone
  std::vector<std::int64_t>
      parent_id;  // the confirmed cluster next to which the node was created, or kNone
  std::vector<std::int64_t> candidate;  // the candidate that it belongs to, or kNone
  // samples won, including those of removed nodes nearest to it
  std::vector<std::int64_t> won;
  std::vector<std::int64_t> won_mapped;  // part of `won` that mappings have counted
  std::vector<double> recent;            // samples won, where each mapping halves the earlier ones
  std::vector<std::int64_t> away;  // samples won since mappings show the node in another cluster

  std::size_t size() const { return won.size(); }

  // Whether the lineage has no data on a node, as for nodes of another model.
  bool is_unnamed(std::size_t i) const {
    return cluster_id[i] == kNone && parent_id[i] == kNone && candidate[i] == kNone;
  }

  // Appends a node that has won its first sample.
  void append() {
    each([&](auto column, auto first) { (this->*column).push_back(first); });
  }

  void set(std::size_t node, const LineageColumns& other, std::size_t i) {
    each([&](auto column, auto) { (this->*column)[node] = (other.*column)[i]; });
  }

  // Keeps only the nodes listed in `kept` (ascending), in order.
  void keep(std::span<const std::size_t> kept) {
    each([&](auto column, auto) { keep_values(this->*column, kept); });
  }

  // Puts a node into the cluster of another one.
  void follow(std::size_t node, std::size_t other) {
    cluster_id[node] = cluster_id[other];
    parent_id[node] = parent_id[other];
    candidate[node] = candidate[other];
  }

  // Adds node b to node a. The heavier one decides the cluster of both, unless it came from another model: ids are those
  // of the first model.
  void merge(std::size_t a, std::size_t b, bool b_is_heavier) {
    won[a] += won[b];
    won_mapped[a] += won_mapped[b];
    recent[a] += recent[b];
    if (!is_unnamed(a) && (!b_is_heavier || is_unnamed(b))) return;
    follow(a, b);
    away[a] = away[b];
  }

  // Resets ids and mappings, which another model cannot use.
  void forget_names() {
    for (auto* const names : {&cluster_id, &parent_id, &candidate}) names->assign(size(), kNone);
    won_mapped.assign(size(), 0);
    away.assign(size(), 0);
  }

 private:
  // Calls visit(column, value for a node that has won its first sample) for each column.
  template <class Visit>
  static void each(Visit visit) {
    visit(&LineageColumns::cluster_id, kNone);
    visit(&LineageColumns::parent_id, kNone);
    visit(&LineageColumns::candidate, kNone);
    visit(&LineageColumns::won, 1);
    visit(&LineageColumns::won_mapped, 0);
    visit(&LineageColumns::recent, 0);
    visit(&LineageColumns::away, 0);
  }
};

}  // namespace phida
