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

std::size_t left_after_refresh(NodeState nodes, std::size_t interval,
                               const Switches& switches = {}) {
  Refresher refresher;
  const std::size_t before = nodes.size();
  const bool removed = refresher.refresh(nodes, Moments(3), interval, switches, false);
  CHECK(removed == (nodes.size() < before));
  return nodes.size();
}

}  // namespace

TEST("node_removal: every array keeps the same nodes in order") {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    const NodeState before = random_nodes(random, 1 + random.below(20));
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (random.below(3)) kept.push_back(i);
    NodeState after = before;
    keep_nodes(after, kept);
    CHECK(after.size() == kept.size() && after.component.size() == kept.size() &&
          after.active.size() == kept.size());
    CHECK(after.representative.rows() == kept.size() && after.mean.rows() == kept.size() &&
          after.m2.rows() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      CHECK(after.id[i] == before.id[kept[i]] && after.birth[i] == before.birth[kept[i]]);
      CHECK(after.scale[i] == before.scale[kept[i]]);
      CHECK(after.representative[i][2] == before.representative[kept[i]][2]);
    }
  }
}

TEST("node_removal: nodes of support one are removed if more than the interval") {
  Random random(2);
  const NodeState nodes = high_and_low(random, 4, 5);
  CHECK(left_after_refresh(nodes, 5) == 9);
  CHECK(left_after_refresh(nodes, 4) == 4);
}

TEST("node_removal: without a support above one, no node is removed") {
  Random random(3);
  NodeState nodes = high_and_low(random, 4, 5);
  std::fill(nodes.support.begin(), nodes.support.end(), 1.0);
  CHECK(left_after_refresh(nodes, 2) == 9);
}

TEST("node_removal: a component with fewer than two other nodes keeps its low nodes") {
  Random random(4);
  NodeState nodes = high_and_low(random, 3, 6);
  nodes.component = {0, 0, 1, 0, 0, 1, 1, kNone, 2};
  // Component 0 has two high nodes and loses its low ones (3, 4). Component 1 has one and keeps both. Component 2 has
  // none and keeps its only node. The node outside the map is removed.
  Refresher refresher;
  refresher.refresh(nodes, Moments(3), 2, {}, false);
  CHECK(nodes.id == (std::vector<std::int64_t>{10, 11, 12, 15, 16, 18}));
}

TEST("node_removal: inactive isolated nodes of support one are removed") {
  NodeState nodes(1);
  Moments moments(1);
  for (double x : {0.0, 1.0, 2.0, 3.0, 4.0, 100.0}) {
    const double row[8] = {x};
    moments.add(row);
    create_node(nodes, row, 1.0, 0, static_cast<std::int64_t>(x));
  }
  const auto left = [&](const Switches& switches) {
    NodeState copy = nodes;
    Refresher refresher;
    refresher.refresh(copy, moments, 100, switches, false);
    return copy.size();
  };
  CHECK(left({}) == 5);
  CHECK(left({.remove = false}) == 6);
  CHECK(left({.prune = false}) == 6);
  nodes.support[5] = 2.0;
  CHECK(left({}) == 6);
}

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
