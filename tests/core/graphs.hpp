// Small graphs from lists of edges.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "numeric/csr_graph.hpp"
#include "random.hpp"

namespace phida {

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

inline CsrGraph graph_of(std::size_t n, const Edges& edges) {
  std::vector<std::vector<std::int32_t>> rows(n);
  for (const auto& [a, b] : edges) {
    rows[a].push_back(b);
    rows[b].push_back(a);
  }
  CsrGraph graph;
  graph.offset.push_back(0);
  for (std::vector<std::int32_t>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    graph.neighbour.insert(graph.neighbour.end(), row.begin(), row.end());
    graph.offset.push_back(static_cast<std::int32_t>(graph.neighbour.size()));
  }
  graph.length.assign(graph.neighbour.size(), 1.0);
  return graph;
}

inline CsrGraph random_graph(Random& random, std::size_t n, std::size_t n_edges) {
  Edges edges;
  for (std::size_t e = 0; e < n_edges; ++e) {
    const auto a = static_cast<std::int32_t>(random.below(n)),
               b = static_cast<std::int32_t>(random.below(n));
    if (a != b) edges.emplace_back(a, b);
  }
  return graph_of(n, edges);
}

// Supports with many ties, as counts have.
inline std::vector<double> random_support(Random& random, std::size_t n, std::size_t most = 6) {
  std::vector<double> support(n);
  for (double& m : support) m = static_cast<double>(1 + random.below(most));
  return support;
}

}  // namespace phida
