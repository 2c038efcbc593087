#include "numeric/csr_graph.hpp"

#include "check.hpp"

using namespace phida;

TEST("csr_graph: rows, degrees and an isolated vertex") {
  // Edges 0 - 2 and 2 - 3; vertex 1 is isolated.
  const CsrGraph graph{{0, 1, 1, 3, 4}, {2, 0, 3, 2}, {0.5, 0.5, 1.5, 1.5}};
  CHECK(graph.degree(0) == 1 && graph.degree(1) == 0 && graph.degree(2) == 2 &&
        graph.degree(3) == 1);
  CHECK(graph.neighbours(1).empty());
  CHECK(graph.neighbours(2)[0] == 0 && graph.neighbours(2)[1] == 3);
}
