// Old samples fade, and nodes with too little left go.
#include "nodes/forgetting.hpp"

#include "check.hpp"
#include "nodes/node_learning.hpp"
#include "random.hpp"

using namespace phida;

namespace {

NodeState with_supports(const std::vector<double>& supports) {
  NodeState nodes(2);
  for (std::size_t i = 0; i < supports.size(); ++i) {
    const double row[8] = {static_cast<double>(i), 1.0};
    create_node(nodes, row, 1.0, 0, static_cast<std::int64_t>(i));
    nodes.support[i] = supports[i];
    nodes.m2[i][0] = 3.0 * supports[i];
  }
  return nodes;
}

Moments moments_of(double count) {
  Moments moments(2);
  moments.count = count;
  moments.m2[0] = 5.0 * count;
  return moments;
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST("forgetting: half is left after a half-life, and fading in steps is fading at once") {
  CHECK_CLOSE(left_after(100, 100.0), 0.5, 1e-15);
  CHECK_CLOSE(left_after(50, 100.0) * left_after(150, 100.0), 0.25, 1e-15);
  CHECK(left_after(0, 7.0) == 1.0);
  CHECK(left_after(1000000, 1e-300) >= 0.0);
}

TEST("forgetting: supports, their moments and the stream's fade alike") {
  NodeState nodes = with_supports({8, 4, 2, 1});
  Moments moments = moments_of(100.0);
  Forgetting forgetting;
  CHECK(!forgetting.fade(nodes, moments, 0.5));
  CHECK(nodes.support == (std::vector<double>{4, 2, 1, 0.5}));
  for (std::size_t i = 0; i < 4; ++i) CHECK(nodes.m2[i][0] == 3.0 * nodes.support[i]);
  CHECK(moments.count == 50.0 && moments.m2[0] == 250.0);
}

TEST("forgetting: nodes below half a sample go") {
  NodeState nodes = with_supports({8, 1, 4, 1.5, 2});
  Moments moments = moments_of(100.0);
  Forgetting forgetting;
  CHECK(forgetting.fade(nodes, moments, 0.4));
  CHECK(nodes.id == (Ids{0, 2, 3, 4}));
}

TEST("forgetting: the three strongest stay, of equals the older, with half a sample each") {
  NodeState nodes = with_supports({1, 2, 1, 3, 1});
  Moments moments = moments_of(9.0);
  Forgetting forgetting;
  CHECK(forgetting.fade(nodes, moments, 1e-9));
  CHECK(nodes.id == (Ids{0, 1, 3}));
  CHECK(nodes.support == (std::vector<double>{0.5, 0.5, 0.5}));
  CHECK_CLOSE(nodes.m2[2][0], 1.5, 1e-12);
  CHECK(moments.count == 1.0);
  CHECK_CLOSE(moments.m2[0], 5.0, 1e-12);
  CHECK(!forgetting.fade(nodes, moments, 1e-300));
  CHECK(nodes.size() == 3 && nodes.support[0] == 0.5);
}

TEST("forgetting: supports sum up exactly in any order") {
  Random random(3);
  std::vector<double> supports;
  for (int i = 0; i < 1000; ++i)
    supports.push_back(
        faded_support(static_cast<double>(1 + random.below(500)), random.uniform(0.1, 1.0)));
  double up = 0.0, down = 0.0;
  for (std::size_t i = 0; i < supports.size(); ++i) {
    up += supports[i];
    down += supports[supports.size() - 1 - i];
  }
  CHECK(up == down);
}
