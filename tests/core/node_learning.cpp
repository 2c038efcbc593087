#include "nodes/node_learning.hpp"

#include "check.hpp"
#include "graphs.hpp"
#include "plain.hpp"

using namespace phida;

TEST("node_learning: a new node is the sample, alone and inactive") {
  NodeState nodes(3);
  const double x[8] = {1, 2, 3};
  create_node(nodes, x, 0.5, 7, 11);
  CHECK(nodes.size() == 1 && nodes.dims() == 3);
  CHECK(nodes.support[0] == 1.0 && nodes.scale[0] == 0.5 && nodes.active[0] == 0);
  CHECK(nodes.birth[0] == 7 && nodes.id[0] == 11 && nodes.component[0] == kNone);
  CHECK(std::equal(x, x + 8, nodes.representative[0]) && std::equal(x, x + 8, nodes.mean[0]));
  for (std::size_t j = 0; j < 8; ++j) CHECK(nodes.m2[0][j] == 0.0);
}

TEST("node_learning: a winner's representative and moments are those of its samples") {
  Random random(1);
  const RowMatrix rows = random.rows(20, 3);
  NodeState nodes(3);
  create_node(nodes, rows[0], 1.0, 0, 0);
  for (std::size_t i = 1; i < 20; ++i) update_node(nodes, 0, rows[i], 1.0);
  CHECK(nodes.support[0] == 20.0);
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0.0, m2 = 0.0;
    for (std::size_t i = 0; i < 20; ++i) mean += rows[i][j] / 20.0;
    for (std::size_t i = 0; i < 20; ++i) m2 += (rows[i][j] - mean) * (rows[i][j] - mean);
    CHECK_CLOSE(nodes.representative[0][j], mean, 1e-14);
    CHECK_CLOSE(nodes.mean[0][j], mean, 1e-14);
    CHECK_CLOSE(nodes.m2[0][j], m2, 1e-13);
  }
}

TEST("node_learning: a runner-up moves less, but its moments take the sample in full") {
  NodeState nodes(1);
  const double a[8] = {0.0}, b[8] = {6.0};
  create_node(nodes, a, 1.0, 0, 0);
  update_node(nodes, 0, b, 0.5);
  CHECK(nodes.support[0] == 2.0);
  CHECK(nodes.representative[0][0] == 1.5);
  CHECK(nodes.mean[0][0] == 3.0 && nodes.m2[0][0] == 18.0);
}

TEST("node_learning: activity compares with the median of supports above one") {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random.below(30);
    NodeState nodes(1);
    nodes.support = random_support(random, n, 1 + random.below(6));
    std::vector<double> above;
    for (const double m : nodes.support)
      if (m > 1.0) above.push_back(m);
    for (std::size_t i = 0; i < n; ++i) {
      const bool expected = !above.empty() && nodes.support[i] >= plain::median(above);
      CHECK(has_median_support(nodes, static_cast<std::int32_t>(i)) == expected);
    }
  }
}
