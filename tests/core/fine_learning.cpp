// Learning of the fine nodes of PHIDA+.
#include "nodes/fine_learning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "plain.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

// Learning and its state, on one feature by default.
struct Line {
  explicit Line(const FineSettings& s = {.dims = 1, .max_nodes = 64})
      : settings(s), state(s.dims), learning(s, state) {}

  FineStep learn(const std::vector<double>& values, double rows = 1.0) {
    AlignedDoubles row(padded(settings.dims), 0.0);
    std::copy(values.begin(), values.end(), row.begin());
    ++n;
    return learning.learn(row.data(), rows, n - 1, n - 1, state);
  }
  FineStep learn(double x, double rows = 1.0) { return learn(std::vector<double>{x}, rows); }
  void learn_all(const Stream& stream) {
    for (std::size_t i = 0; i < stream.size(); ++i) learn({stream[i], stream[i] + stream.dims});
  }

  FineSettings settings;
  FineState state;
  FineLearning learning;
  std::int64_t n = 0;
};

double total(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double x : values) sum += x;
  return sum;
}

std::vector<std::uint64_t> words_of(const FineState& state) {
  Words w;
  add_fine(w, state);
  return w.words;
}

}  // namespace

TEST("fine_learning: different rows are nodes until the budget is full") {
  Line line({.dims = 1, .max_nodes = 8});
  for (int i = 0; i < 7; ++i) {
    const FineStep step = line.learn(i * i, 2.0);
    CHECK(step.created && step.winner == (i == 0 ? kNone : i - 1));
    CHECK(line.state.nodes.size() == static_cast<std::size_t>(i + 1));
    CHECK(line.state.nodes.weight.back() == 2.0 && line.state.nodes.birth.back() == i);
  }
  CHECK(line.state.allowance == 0.0 && !line.state.compacted);
  CHECK(line.learn(1000.0, 2.0).created);
  CHECK(line.state.nodes.size() == 6);
  CHECK(line.state.allowance > 0.0 && line.state.compacted);
  CHECK(total(line.state.nodes.weight) == 16.0);
}

TEST("fine_learning: a row at distance zero joins its node") {
  Line line;
  line.learn(1.0);
  line.learn(2.0);
  const FineStep step = line.learn(2.0, 3.0);
  CHECK(!step.created && step.winner == 1 && step.square == 0.0);
  CHECK(line.state.nodes.size() == 2 && line.state.nodes.weight[1] == 4.0);
  CHECK(line.state.nodes.scatter[1][0] == 0.0 && line.state.nodes.lineage.won[1] == 2);
}

TEST("fine_learning: a node takes rows until their squared distances exceed the allowance") {
  Line line;
  line.learn(0.0);
  line.learn(100.0);
  line.state.allowance = 5.0;
  CHECK(!line.learn(2.0).created);
  CHECK(line.state.nodes.credit[0] == 4.0);
  CHECK(line.state.nodes.mean[0][0] == 1.0 && line.state.nodes.scatter[0][0] == 2.0);
  CHECK(!line.learn(2.0).created);  // 4 + 1 does not exceed the allowance
  CHECK(line.state.nodes.credit[0] == 5.0);
  const double mean = line.state.nodes.mean[0][0];
  const FineStep step = line.learn(mean + 0.5);
  CHECK(step.created && step.winner == 0 && line.state.nodes.size() == 3);
  CHECK(line.state.nodes.credit[0] == 0.0 && line.state.nodes.credit[2] == 0.0);
  CHECK(line.state.nodes.mean[0][0] == mean && line.state.nodes.weight[0] == 3.0);
}

TEST("fine_learning: a row's squared distance is multiplied by its weight") {
  Line line;
  line.learn(0.0);
  line.state.allowance = 7.0;
  CHECK(!line.learn(1.0, 7.0).created);
  CHECK(line.state.nodes.credit[0] == 7.0 && line.state.nodes.weight[0] == 8.0);
  CHECK_CLOSE(line.state.nodes.mean[0][0], 7.0 / 8.0, 1e-15);
  CHECK_CLOSE(line.state.nodes.scatter[0][0], 7.0 / 8.0, 1e-15);
}

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

TEST("fine_learning: nodes stay within the budget and keep mean and scatter of all rows") {
  for (const Scale scale : {Scale::kAuto, Scale::kStandard, Scale::kNone}) {
    const Stream stream = blobs(1, 3000, 4, 5, 1e3);
    Line line({.dims = 4, .max_nodes = 40, .scale = scale});
    for (std::size_t i = 0; i < stream.size(); ++i) {
      line.learn({stream[i], stream[i] + 4});
      CHECK(line.state.nodes.size() < 40);
    }
    const Spread spread = spread_of(line.state.nodes);
    CHECK(spread.weight == 3000.0);
    for (std::size_t j = 0; j < 4; ++j) {
      double mean = 0.0, squares = 0.0;
      for (std::size_t i = 0; i < stream.size(); ++i) mean += stream[i][j] / 3000.0;
      for (std::size_t i = 0; i < stream.size(); ++i) squares += std::pow(stream[i][j] - mean, 2);
      CHECK_CLOSE(spread.mean[j], mean, 1e-10 * std::sqrt(squares));
      CHECK_CLOSE(spread.squares[j], squares, 1e-10 * squares);
    }
  }
}

TEST("fine_learning: a few wild values do not set the scale of a feature") {
  const Stream stream = blobs(3, 2000, 3, 4, 10.0);
  FineNodes tame(3), nodes(3);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    nodes.append(stream[i], 1.0, 0, 0);
    if (i % 700 == 0)
      nodes.mean[i][1] = i == 0 ? 1e140 : -1e4;
    else
      tame.append(stream[i], 1.0, 0, 0);
  }
  const std::vector<double> found = deviations(nodes), all = deviations(tame);
  CHECK(found[1] == all[1]);
  CHECK_CLOSE(found[0], all[0], 0.1 * all[0]);
  // If all variation is rare, it sets the scale.
  FineNodes rare(1);
  for (int i = 0; i < 1000; ++i) {
    AlignedDoubles row(padded(1), 0.0);
    row[0] = i == 500 ? 100.0 : 7.0;
    rare.append(row.data(), 1.0, 0, 0);
  }
  CHECK_CLOSE(deviations(rare)[0], 93.0 * std::sqrt(0.001 * 0.999), 1e-9);
}

TEST("fine_learning: a copied state continues to the same bits") {
  const Stream stream = blobs(2, 800, 3, 4, 1e4);
  for (const double half_life : {0.0, 40.0}) {
    const FineSettings settings{.dims = 3, .max_nodes = 32, .half_life = half_life};
    Line line(settings);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      Line fresh(settings);
      fresh.state = line.state;
      fresh.learning = FineLearning(settings, fresh.state);
      const std::vector<double> row(stream[i], stream[i] + 3);
      line.learn(row);
      fresh.learn(row);
      CHECK(words_of(fresh.state) == words_of(line.state));
    }
  }
}

TEST("fine_learning: a row weighs half after a half-life") {
  Line line({.dims = 1, .max_nodes = 64, .half_life = 4.0});
  line.learn(0.0);
  for (int i = 0; i < 4; ++i) line.learn(10.0);
  const FineState& s = line.state;
  CHECK_CLOSE(s.nodes.weight[0] / s.unit, 0.5, 1e-14);
  double expected = 0.0;
  for (int i = 0; i < 4; ++i) expected += std::pow(2.0, -i / 4.0);
  CHECK_CLOSE(s.nodes.weight[1] / s.unit, expected, 1e-14);
}

TEST("fine_learning: nodes of less than half a row have faded; one node always stays") {
  Line line({.dims = 1, .max_nodes = 64, .half_life = 4.0});
  line.learn(0.0);
  for (int i = 0; i < 3; ++i) line.learn(10.0);
  CHECK(unfaded(4.0, line.state) == (std::vector<std::size_t>{0, 1}));
  for (int i = 0; i < 2; ++i) line.learn(10.0);
  CHECK(unfaded(4.0, line.state) == (std::vector<std::size_t>{1}));
  CHECK(unfaded(0.0, line.state) == (std::vector<std::size_t>{0, 1}));
  line.state.nodes.weight = {1e-3, 1e-3};
  CHECK(unfaded(4.0, line.state) == (std::vector<std::size_t>{0}));
  line.state.nodes.weight = {1e-3, 2e-3};
  CHECK(unfaded(4.0, line.state) == (std::vector<std::size_t>{1}));
}

TEST("fine_learning: faded nodes are removed before others merge") {
  Line line({.dims = 1, .max_nodes = 8, .half_life = 1.0});
  for (int i = 0; i < 8; ++i) line.learn(i);
  // Only the last two rows weigh half or more, so no merge was needed.
  CHECK(line.state.nodes.size() == 2 && line.state.nodes.mean[1][0] == 7.0);
  CHECK(!line.state.compacted && line.state.allowance == 0.0);
}

TEST("fine_learning: restarting the unit changes no ratio") {
  const Stream stream = blobs(3, 300, 2, 3);
  const FineSettings settings{.dims = 2, .max_nodes = 16, .half_life = 3.0};
  Line line(settings), later(settings);
  // The second line restarts its unit earlier.
  line.state.unit = 1.0;
  later.state.unit = 0x1p31;
  int restarts = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const std::vector<double> row(stream[i], stream[i] + 2);
    const double before = line.state.unit;
    line.learn(row);
    later.learn(row);
    restarts += line.state.unit < before;
    CHECK(line.state.unit > 0.0 && line.state.unit <= 0x1p32);
    CHECK(line.state.nodes.size() == later.state.nodes.size());
    const double ratio = line.state.unit / later.state.unit;
    CHECK(plain::same_bits(line.state.allowance, later.state.allowance * ratio));
    for (std::size_t k = 0; k < line.state.nodes.size(); ++k) {
      CHECK(line.state.nodes.mean[k][0] == later.state.nodes.mean[k][0]);
      CHECK(line.state.nodes.weight[k] == later.state.nodes.weight[k] * ratio);
      CHECK(line.state.nodes.credit[k] == later.state.nodes.credit[k] * ratio);
      CHECK(line.state.nodes.scatter[k][1] == later.state.nodes.scatter[k][1] * ratio);
    }
  }
  CHECK(restarts >= 3);
}

TEST("fine_learning: merging two states is symmetric") {
  for (const std::size_t n : {5, 30, 400})
    for (const Scale scale : {Scale::kAuto, Scale::kStandard, Scale::kNone}) {
      const FineSettings settings{.dims = 3, .max_nodes = 32, .scale = scale};
      Line a(settings), b(settings);
      a.learn_all(blobs(4, 200, 3, 3, 100.0));
      b.learn_all(blobs(5, n, 3, 2));
      Line ab = a, ba = b;
      const FineState* const with_b[] = {&b.state};
      const FineState* const with_a[] = {&a.state};
      ab.learning.merge(with_b, ab.state);
      ba.learning.merge(with_a, ba.state);
      CHECK(words_of(ab.state) == words_of(ba.state));
      CHECK(ab.state.nodes.size() < 32);
      CHECK_CLOSE(total(ab.state.nodes.weight), 200.0 + static_cast<double>(n), 1e-9);
    }
}

TEST("fine_learning: merging three states does not depend on their order") {
  const FineSettings settings{.dims = 2, .max_nodes = 24};
  std::vector<Line> lines(3, Line(settings));
  for (std::size_t i = 0; i < 3; ++i) lines[i].learn_all(blobs(6 + i, 100 + 50 * i, 2, 3, 10.0));
  std::vector<std::uint64_t> expected;
  for (const auto& order : {std::vector{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}) {
    Line into = lines[order[0]];
    const FineState* const others[] = {&lines[order[1]].state, &lines[order[2]].state};
    into.learning.merge(others, into.state);
    if (expected.empty()) expected = words_of(into.state);
    CHECK(words_of(into.state) == expected);
  }
}

TEST("fine_learning: merging gives rows of different units the same weight") {
  const FineSettings settings{.dims = 1, .max_nodes = 64, .half_life = 10.0};
  Line a(settings), b(settings);
  for (int i = 0; i < 3; ++i) a.learn(i);
  for (int i = 0; i < 50; ++i) b.learn(100.0 + i);
  const double weight = b.state.nodes.weight.back() / b.state.unit;
  const FineState* const others[] = {&b.state};
  a.learning.merge(others, a.state);
  CHECK_CLOSE(a.state.nodes.weight.back() / a.state.unit, weight, 1e-12);
  CHECK(a.state.nodes.mean[a.state.nodes.size() - 1][0] == 149.0);
}

TEST("fine_learning: learning continues after a merge") {
  const FineSettings settings{.dims = 2, .max_nodes = 16};
  Line a(settings), b(settings);
  a.learn_all(blobs(7, 100, 2, 2));
  b.learn_all(blobs(8, 100, 2, 2));
  const FineState* const others[] = {&b.state};
  a.learning.merge(others, a.state);
  Line fresh(settings);
  fresh.state = a.state;
  fresh.learning = FineLearning(settings, fresh.state);
  a.learn_all(blobs(9, 100, 2, 2));
  fresh.learn_all(blobs(9, 100, 2, 2));
  CHECK(words_of(a.state) == words_of(fresh.state));
}
