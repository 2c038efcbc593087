// Learning of the fine nodes of PHIDA+.
#include "nodes/fine_learning.hpp"

#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "numeric/row_matrix.hpp"

using namespace phida;

namespace {

// Learning and its state, on one feature by default.
struct Line {
  explicit Line(const FineSettings& s = {.dims = 1, .max_nodes = 64})
      : settings(s), state(s.dims), learning(s, state) {}

  FineStep learn(const std::vector<double>& values, double rows = 1.0) {
    learning.queue(values.data(), 1);
    ++n;
    return learning.learn_next(rows, n - 1, n - 1, state);
  }
  FineStep learn(double x, double rows = 1.0) { return learn(std::vector<double>{x}, rows); }

  FineSettings settings;
  FineState state;
  FineLearning learning;
  std::int64_t n = 0;
};

}  // namespace

TEST("fine_learning: only a distant node and its neighbours record the gap") {
  Line line;
  line.learn(0.0);
  line.learn(1.0);  // the usual distance is unknown before
  line.state.allowance = 9.0;
  line.learn(4.0);  // exactly the allowance
  const FineNodes& nodes = line.state.nodes;
  CHECK(nodes.size() == 2 && nodes.gap[1] == 0.0 && nodes.spacing[1] == 1.0);
  line.learn(100.0);
  const double gap = nodes.gap[2];
  CHECK(nodes.size() == 3 && gap > 9000.0 && nodes.spacing[2] == 1.0 && !nodes.placed(2));
  line.state.nodes.credit[2] = 9.0;
  const FineStep step = line.learn(100.5);
  CHECK(step.created && step.winner_gap == gap && nodes.gap[3] == gap);
  CHECK(nodes.leaf[3] == nodes.leaf[0]);
  CHECK_CLOSE(nodes.spacing[3], std::pow(0.25, 0.25), 1e-15);
}

TEST("fine_learning: faded nodes get the cluster of a node near them") {
  Line line({.dims = 1, .max_nodes = 8, .half_life = 1.0});
  for (const double x : {0.0, 1.0, 50.0, 1.5}) line.learn(x);
  FineNodes& nodes = line.state.nodes;
  nodes.leaf = {0, 0, 0, 1};
  nodes.lineage.cluster_id = {5, 5, 6, 7};
  nodes.spacing.assign(4, 0.01);
  const std::size_t kept[] = {3};
  place_faded(kept, line.state);
  CHECK(nodes.leaf == std::vector<std::int32_t>({1, 1, 1, 1}));
  CHECK(nodes.placed(0) && nodes.placed(1) && !nodes.placed(2));
  CHECK(nodes.lineage.cluster_id == std::vector<std::int64_t>({7, 7, 6, 7}));
}

TEST("fine_learning: a new node gets the cluster of its winner") {
  Line line;
  line.learn(0.0);
  line.learn(10.0);
  line.state.nodes.lineage.cluster_id = {3, 4};
  line.state.nodes.lineage.parent_id = {5, 6};
  line.state.nodes.lineage.candidate = {7, 8};
  const FineStep step = line.learn(9.0);
  CHECK(step.winner_cluster == 4 && step.winner_parent == 6 && step.winner_birth == 1);
  const LineageColumns& lineage = line.state.nodes.lineage;
  CHECK(lineage.cluster_id[2] == 4 && lineage.parent_id[2] == 4 && lineage.candidate[2] == 8);
}
