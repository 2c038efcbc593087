#include "nodes/node_removal.hpp"

#include "check.hpp"
#include "learning/refresh.hpp"
#include "nodes/node_learning.hpp"
#include "random.hpp"

using namespace phida;

namespace {

NodeState random_nodes(Random& random, std::size_t n) {
  NodeState nodes(3);
  for (std::size_t i = 0; i < n; ++i)
    create_node(nodes, random.values(8).data(), random.uniform(), static_cast<std::int64_t>(i),
                static_cast<std::int64_t>(10 + i));
  return nodes;
}

// `high` active nodes, which are the entire PH input, then nodes of support 1.
NodeState high_and_low(Random& random, std::size_t high, std::size_t low) {
  NodeState nodes = random_nodes(random, high + low);
  for (std::size_t i = 0; i < high; ++i) {
    nodes.support[i] = 5.0;
    nodes.active[i] = 1;
  }
  return nodes;
}

}  // namespace

TEST("node_removal: wins of a removed node go to its nearest kept node, and count once") {
  NodeState nodes(2);
  Moments moments(2);
  const double at[][8] = {{0.0, 0.0},  {1.0, 10.0}, {2.0, 20.0},
                          {3.0, 30.0}, {4.0, 40.0}, {0.9, 1e3}};
  for (std::size_t i = 0; i < 6; ++i) {
    moments.add(at[i]);
    create_node(nodes, at[i], 1.0, 0, static_cast<std::int64_t>(i));
    nodes.lineage.won[i] = static_cast<std::int64_t>(10 + i);
  }
  Refresher refresher;
  refresher.refresh(nodes, moments, 100, {}, false);
  CHECK(nodes.id == (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  std::int64_t won = 0, since_mapping = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    won += nodes.lineage.won[i];
    since_mapping += nodes.lineage.won[i] - nodes.lineage.won_mapped[i];
  }
  CHECK(won == 10 + 11 + 12 + 13 + 14 + 15 && since_mapping == 10 + 11 + 12 + 13 + 14);
  CHECK(nodes.lineage.won[1] == 11 + 15);  // by plain distance, node 4 would be the nearest
}

TEST("node_removal: after a refresh only nodes of the PH input have components") {
  Random random(5);
  NodeState nodes = high_and_low(random, 4, 3);
  nodes.component = {3, 2, 1, 0, 0, 0, 0};
  Refresher refresher;
  refresher.refresh(nodes, Moments(3), 10, {.prune = false}, false);
  for (std::size_t i = 0; i < 4; ++i) CHECK(nodes.component[i] >= 0);
  for (std::size_t i = 4; i < 7; ++i) CHECK(nodes.component[i] == kNone);
}
