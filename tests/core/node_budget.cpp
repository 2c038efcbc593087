// Room for new nodes: which nodes merge, and that nothing they learned is lost.
#include "nodes/node_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "metric/moments.hpp"
#include "nodes/node_learning.hpp"
#include "random.hpp"

using namespace phida;

namespace {

// Nodes at given positions on a line.
NodeState on_a_line(const std::vector<double>& positions, const std::vector<double>& supports) {
  NodeState nodes(1);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double row[8] = {positions[i]};
    create_node(nodes, row, 1.0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
    nodes.support[i] = supports[i];
  }
  return nodes;
}

std::vector<std::int64_t> left_after_room(NodeState nodes) {
  NodeBudget budget;
  budget.make_room(nodes, nullptr);
  return nodes.id;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST("node_budget: a node that absorbs another knows the samples of both") {
  Random random(1);
  NodeState nodes(5);
  Moments all(5);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t s = 0; s < 4 + 5 * i; ++s) {
      double row[8] = {};
      for (std::size_t j = 0; j < 5; ++j) row[j] = random.normal();
      all.add(row);
      if (s == 0)
        create_node(nodes, row, 1.0, 0, 0);
      else
        update_node(nodes, static_cast<std::int32_t>(i), row, 1.0);
    }
  }
  nodes.active[0] = 1;
  absorb_node(nodes, 1, 0);
  CHECK(nodes.support[1] == all.count && nodes.active[1] == 1);
  for (std::size_t j = 0; j < 5; ++j) {
    CHECK_CLOSE(nodes.mean[1][j], all.mean[j], 1e-12);
    CHECK_CLOSE(nodes.representative[1][j], all.mean[j], 1e-12);  // with gain 1 it is the mean
    CHECK_CLOSE(nodes.m2[1][j], all.m2[j], 1e-12);
  }
}

TEST("node_budget: the node of less support goes, of equals the newer") {
  CHECK(left_after_room(on_a_line({0, 1, 10, 20}, {1, 2, 1, 1})) == (Ids{1, 2, 3}));
  CHECK(left_after_room(on_a_line({0, 1, 10, 20}, {2, 1, 1, 1})) == (Ids{0, 2, 3}));
  CHECK(left_after_room(on_a_line({0, 1, 10, 20}, {1, 1, 1, 1})) == (Ids{0, 2, 3}));
}

TEST("node_budget: of equal prices the lower indices merge") {
  CHECK(left_after_room(on_a_line({0, 1, 2, 3}, {1, 1, 1, 1})) == (Ids{0, 2, 3}));
}

TEST("node_budget: a pair costs its squared distance times the root of the smaller support") {
  // 1 * sqrt(16) against 1.9^2 * sqrt(1), then against 2.1^2 * sqrt(1).
  CHECK(left_after_room(on_a_line({0, 1, 10, 11.9}, {16, 16, 1, 50})) == (Ids{0, 1, 3}));
  CHECK(left_after_room(on_a_line({0, 1, 10, 12.1}, {16, 16, 1, 50})) == (Ids{0, 2, 3}));
}

TEST("node_budget: distances are those of the metric") {
  NodeState nodes(2);
  const double rows[3][8] = {{0, 0}, {3, 0}, {0, 4}};
  for (const auto& row : rows) create_node(nodes, row, 1.0, 0, nodes.id.size());
  const double scaling[8] = {2.0, 1.0};
  NodeBudget budget;
  budget.make_room(nodes, scaling);
  CHECK(nodes.id == (Ids{0, 1}));
}

TEST("node_budget: a sixteenth of the nodes goes, support and order stay") {
  Random random(2);
  for (const std::size_t n : {2, 3, 15, 16, 31, 32, 100, 333}) {
    NodeState nodes(3);
    double support = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double row[8] = {};
      for (std::size_t j = 0; j < 3; ++j) row[j] = random.normal();
      create_node(nodes, row, 1.0, 0, static_cast<std::int64_t>(i));
      support += nodes.support[i] = static_cast<double>(1 + random.below(50));
    }
    NodeBudget budget;
    budget.make_room(nodes, nullptr);
    CHECK(nodes.size() < n && nodes.size() >= n - std::max<std::size_t>(n / 16, 1));
    CHECK(std::is_sorted(nodes.id.begin(), nodes.id.end()));
    double after = 0.0;
    for (const double m : nodes.support) after += m;
    CHECK(after == support);
  }
}

TEST("node_budget: distances that overflow make room as well") {
  CHECK(left_after_room(on_a_line({-1e200, 0, 1e200}, {1, 1, 1})).size() == 2);
}
