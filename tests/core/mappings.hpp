// Scripts of mappings: nodes on a line, put into clusters as a string says, one refresh after the other.
#pragma once

#include <string>
#include <vector>

#include "lineage/lineage.hpp"
#include "nodes/node_learning.hpp"
#include "nodes/node_removal.hpp"

namespace phida {

struct Script {
  explicit Script(const std::vector<double>& supports) : nodes(1) {
    for (std::size_t i = 0; i < supports.size(); ++i) {
      const double row[8] = {static_cast<double>(i)};
      create_node(nodes, row, 1.0, 0, static_cast<std::int64_t>(i));
      nodes.support[i] = supports[i];
    }
  }

  // A refresh that found this mapping: a letter per node names its cluster, in the order of labels ('a' is 0); '.' is
  // none. Returns what was written down, as "split 0>0,3; born >4".
  std::string map(const std::string& letters) {
    find(letters);
    commit(succession, cluster, ++sample, nodes, lineage);
    std::string written;
    for (; told < lineage.n_dropped + static_cast<std::int64_t>(lineage.events.size()); ++told) {
      if (!written.empty()) written += "; ";
      written += text(lineage.events[static_cast<std::size_t>(told - lineage.n_dropped)]);
    }
    return written;
  }

  void find(const std::string& letters) {
    cluster.clear();
    std::int32_t n_clusters = 0;
    for (const char letter : letters) {
      cluster.push_back(letter == '.' ? kNone : letter - 'a');
      n_clusters = std::max(n_clusters, cluster.back() + 1);
    }
    finder.find(nodes, cluster, static_cast<std::size_t>(n_clusters), lineage.living, succession);
  }

  void remove(std::size_t node) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (i != node) kept.push_back(i);
    keep_nodes(nodes, kept);
  }

  std::vector<std::int64_t> ids() const {
    std::vector<std::int64_t> all;
    for (const LivingCluster& c : lineage.living) all.push_back(c.id);
    return all;
  }

  static std::string text(const Event& event) {
    const char* const kinds[] = {"born", "split", "merged", "died", "revived"};
    const auto list = [](const std::vector<std::int64_t>& ids) {
      std::string joined;
      for (const std::int64_t id : ids) {
        if (!joined.empty()) joined += ',';
        joined += std::to_string(id);
      }
      return joined;
    };
    return std::string(kinds[static_cast<int>(event.kind)]) + " " + list(event.before) + ">" +
           list(event.after);
  }

  NodeState nodes;
  Lineage lineage;
  SuccessionFinder finder;
  Succession succession;
  std::vector<std::int32_t> cluster;
  std::int64_t sample = 0;
  std::int64_t told = 0;
};

}  // namespace phida
