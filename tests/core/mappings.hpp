// Scripts of mappings: nodes win samples and are assigned to clusters as a string prescribes.
#pragma once

#include <string>
#include <vector>

#include "lineage/tracker.hpp"

namespace phida {

struct Script {
  explicit Script(std::size_t n_nodes) {
    for (std::size_t i = 0; i < n_nodes; ++i) add();
  }

  void add(std::int64_t parent_id = kNone) {
    nodes.append();
    support.push_back(1.0);
    nodes.parent_id.back() = parent_id;
  }

  // Maps after each node has won `rows` times its digit in `wins` samples. A letter per node names its cluster, in
  // the order of labels ('a' is 0); '.' means none. Returns the confirmed events, as "split 0>0,3; born >4".
  std::string map(const std::string& letters, const std::string& wins, std::int64_t rows = 1) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::int64_t won = (wins[i] - '0') * rows;
      nodes.won[i] += won;
      support[i] += static_cast<double>(won);
      sample += won;
    }
    std::vector<std::int32_t> cluster;
    std::size_t n_clusters = 0;
    for (const char letter : letters) {
      cluster.push_back(letter == '.' ? kNone : letter - 'a');
      n_clusters = std::max(n_clusters, static_cast<std::size_t>(cluster.back() + 1));
    }
    tracker.update({cluster, n_clusters, support, sample, fades, certain}, nodes, lineage);
    std::string written;
    for (; told < lineage.n_dropped + static_cast<std::int64_t>(lineage.events.size()); ++told) {
      if (!written.empty()) written += "; ";
      written += text(lineage.events[static_cast<std::size_t>(told - lineage.n_dropped)]);
    }
    return written;
  }

  void remove(std::size_t node) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (i != node) kept.push_back(i);
    nodes.keep(kept);
    support.erase(support.begin() + static_cast<std::ptrdiff_t>(node));
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

  LineageColumns nodes;
  std::vector<double> support;
  Lineage lineage;
  Tracker tracker;
  std::int64_t sample = 0;
  std::int64_t told = 0;
  bool fades = false;
  bool certain = false;
};

}  // namespace phida
