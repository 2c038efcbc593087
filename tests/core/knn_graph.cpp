#include "topology/knn_graph.hpp"

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

bool same(const KnnGraph& a, const KnnGraph& b) {
  return a.candidate == b.candidate && a.distance == b.distance &&
         a.edges.offset == b.edges.offset && a.edges.neighbour == b.edges.neighbour &&
         a.global_threshold == b.global_threshold;
}

}  // namespace

TEST("knn_graph: vertices are positions in the members") {
  Random random(6);
  const RowMatrix rows = random.rows(30, 3);
  const Members members = {1, 4, 5, 9, 12, 20, 21, 29};
  RowMatrix chosen(3);
  for (const std::int32_t member : members) chosen.append(rows[member]);
  CHECK(same(graph_over(rows, members), graph_over(chosen, plain::first(members.size()))));
}

TEST("knn_graph: equal roots of different squares are a tie") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    RowMatrix rows = plain::equal_roots(random);  // the farther one first
    const double origin[2] = {0.0, 0.0};
    rows.append(origin);
    for (const double shift : {50.0, 51.0, 53.0}) {  // more rows, so that k stays below n - 1
      const double far[2] = {shift, shift};
      rows.append(far);
    }
    const KnnGraph graph = graph_over(rows, plain::first(rows.rows()));
    CHECK(graph.candidate[2 * graph.k] == 0 && graph.candidate[2 * graph.k + 1] == 1);
  }
}

TEST("knn_graph: one builder makes graphs of different sizes in turn") {
  Random random(8);
  KnnGraphBuilder reused;
  KnnGraph graph;
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = random.below(70), dims = 1 + random.below(10);
    const RowMatrix rows = random.rows(n, dims);
    build_graph(reused, rows, plain::first(n), std::nullopt, graph);
    CHECK(same(graph, graph_over(rows, plain::first(n))));
  }
}
