#include "systems/aged_graph.hpp"

#include <algorithm>

#include "check.hpp"

using namespace phida::systems;

namespace {

AgedGraph nodes(std::size_t n) {
  AgedGraph graph;
  for (std::size_t i = 0; i < n; ++i) graph.add_node();
  return graph;
}

bool has(const AgedGraph& graph, std::vector<std::vector<std::int64_t>> expected) {
  std::vector<std::vector<std::int64_t>> found;
  for (const Edge& edge : graph.edges()) found.push_back({edge.a, edge.b, edge.age});
  return found == expected;
}

}  // namespace

TEST("aged_graph: add is true for a new edge, and renews an old one from either side") {
  AgedGraph graph = nodes(3);
  CHECK(graph.connect(2, 0, 5));
  CHECK(!graph.connect(0, 2, 1));
  CHECK(has(graph, {{0, 2, 1}}));
  CHECK(graph.has_edge(2, 0) && graph.has_edge(0, 2) && !graph.has_edge(0, 1));
  CHECK(graph.is_isolated(1) && !graph.is_isolated(2));
}

TEST("aged_graph: both ends of an edge have its age") {
  AgedGraph graph = nodes(3);
  graph.connect(0, 1, 0);
  graph.connect(1, 2, 0);
  graph.age_edges_of(0);
  graph.age_edges_of(1);
  CHECK(has(graph, {{0, 1, 2}, {1, 2, 1}}));
  CHECK(graph.links(0)[0].age == 2 && graph.links(2)[0].age == 1);
}

TEST("aged_graph: edges beyond the limit are removed, edges at the limit stay") {
  AgedGraph graph = nodes(4);
  graph.connect(0, 1, 3);
  graph.connect(0, 2, 4);
  graph.connect(2, 3, 9);
  CHECK(graph.disconnect_older(0, 3.0) == std::vector<std::int32_t>{2});
  CHECK(has(graph, {{0, 1, 3}, {2, 3, 9}}));
}

TEST("aged_graph: keeping nodes renumbers them and removes edges to others") {
  AgedGraph graph = nodes(5);
  graph.connect(0, 1, 1);
  graph.connect(1, 4, 2);
  graph.connect(2, 4, 3);
  graph.keep(std::vector<std::size_t>{1, 2, 4});
  CHECK(graph.size() == 3);
  CHECK(has(graph, {{0, 2, 2}, {1, 2, 3}}));
}

TEST("aged_graph: components are numbered by their lowest node") {
  AgedGraph graph = nodes(6);
  graph.connect(5, 1, 1);
  graph.connect(4, 0, 1);
  graph.connect(4, 3, 1);
  const Components components = graph.components();
  CHECK(components.count == 3);
  CHECK(components.of_node == std::vector<std::int64_t>{0, 1, 2, 0, 0, 1});
  CHECK(AgedGraph().components().count == 0);
}

TEST("aged_graph: ages around a node cover its component") {
  AgedGraph graph = nodes(6);
  graph.connect(0, 1, 4);
  graph.connect(1, 2, 2);
  graph.connect(2, 0, 7);
  graph.connect(3, 4, 9);
  std::vector<double> ages;
  for (const std::int32_t node : {0, 1, 2}) {
    graph.collect_ages_around(node, ages);
    std::ranges::sort(ages);
    CHECK(ages == std::vector<double>{2.0, 4.0, 7.0});
  }
  graph.collect_ages_around(5, ages);
  CHECK(ages.empty());
}
