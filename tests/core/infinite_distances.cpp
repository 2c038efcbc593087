// Infinite and NaN distances never give an index: every stage returns existing rows.
#include <cmath>
#include <limits>

#include "check.hpp"
#include "mapping/component_hierarchy.hpp"
#include "nodes/matching.hpp"
#include "random.hpp"
#include "stages.hpp"
#include "streams.hpp"
#include "topology/neighbour_lists.hpp"

using namespace phida;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rows at which squares overflow, and, if `wild`, rows at which differences are NaN.
RowMatrix far_rows(std::uint64_t seed, std::size_t n, std::size_t dims, bool wild) {
  Random random(seed);
  RowMatrix rows = random.rows(n, dims);
  const double values[] = {1.7e308, -1.7e308, 1e200, kInfinity, -kInfinity, std::nan("")};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < dims; ++j)
      if (random.below(3) > 0) rows[i][j] = values[random.below(wild ? 6 : 3)];
  return rows;
}

void check_graph(const KnnGraph& graph, std::size_t n) {
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t r = 0; r < graph.k; ++r) {
      const std::int32_t q = graph.candidate[p * graph.k + r];
      CHECK(q >= 0 && static_cast<std::size_t>(q) < n && static_cast<std::size_t>(q) != p);
      CHECK(!std::isnan(graph.distance[p * graph.k + r]));
      for (std::size_t s = 0; s < r; ++s) CHECK(graph.candidate[p * graph.k + s] != q);
    }
  }
  for (const std::int32_t q : graph.edges.neighbour)
    CHECK(q >= 0 && static_cast<std::size_t>(q) < n);
}

}  // namespace

TEST("infinite distances: a graph has the usual number of neighbours") {
  for (const bool wild : {false, true}) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const std::size_t n = 2 + seed, dims = 1 + seed % 4;
      RowMatrix rows = far_rows(seed, n, dims, wild);
      const Members members = plain::first(n);
      std::vector<std::int64_t> stamps(n);
      for (std::size_t i = 0; i < n; ++i) stamps[i] = static_cast<std::int64_t>(i + 1);
      FeatureTransform transform;
      transform.gamma = 0.0;
      transform.inverse.assign(rows.stride(), 1.0);
      KnnGraphBuilder builder;
      KnnGraph graph;
      for (int step = 0; step < 4; ++step) {  // neighbour lists are used from the second step on
        builder.build(rows, members, transform, std::nullopt, stamps, graph);
        check_graph(graph, n);
        rows[seed % n][0] = step % 2 ? 1e200 : -1.7e308;
        stamps[seed % n] = static_cast<std::int64_t>(n) + step + 1;
      }
    }
  }
}

TEST("infinite distances: a graph with penalised distances has the usual number of neighbours") {
  for (const bool wild : {false, true}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const std::size_t n = 2 + seed, dims = 1 + seed % 4;
      const RowMatrix rows = far_rows(seed, n, dims, wild);
      RowMatrix m2(dims);
      for (std::size_t i = 0; i < n; ++i) m2.append(far_rows(seed + i, 1, dims, wild)[0]);
      const std::vector<double> support(n, 2.0);
      Moments moments(dims);
      moments.add(rows[0]);
      moments.add(rows[1]);
      FeatureTransform transform;
      transform.gamma = 0.7;
      transform.inverse.assign(rows.stride(), 1.0);
      KnnGraphBuilder builder;
      KnnGraph graph;
      builder.build(rows, plain::first(n), transform, WeightSource{m2, support, moments}, {},
                    graph);
      check_graph(graph, n);
    }
  }
}

TEST("infinite distances: a sample has a winner and a different runner-up") {
  for (const std::size_t dims : {3, 600}) {
    for (const bool wild : {false, true}) {
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::size_t n = 2 + seed;
        const RowMatrix rows = far_rows(seed, n, dims, wild);
        Matcher matcher(dims);
        matcher.assign(rows);
        const std::vector<double> support(n, 2.0);
        Moments moments(dims);
        moments.add(rows[0]);
        const WeightSource weights{rows, support, moments};
        for (const double gamma : {0.0, 0.7}) {
          const RowMatrix query = far_rows(seed + 100, 1, dims, wild);
          const Match match = matcher.nearest_two(query[0], nullptr, gamma, rows, weights);
          CHECK(match.winner >= 0 && static_cast<std::size_t>(match.winner) < n);
          CHECK(match.runner_up >= 0 && static_cast<std::size_t>(match.runner_up) < n);
          CHECK(match.winner != match.runner_up);
        }
      }
    }
  }
}

// Values beyond the library's limits and within the core's: no access is out of bounds (under AddressSanitizer).
TEST("infinite distances: a learner continues after rows that overflow") {
  const RowMatrix rows = far_rows(7, 300, 3, false);
  const auto check = [&](auto learner) {
    for (std::size_t i = 0; i < rows.rows(); ++i) learner.learn(rows[i]);
    learner.end_learning();
    CHECK(learner.state().n_seen == 300);
    CHECK(learner.reading()->map.n_clusters() >= 1);
  };
  check(Learner({.dims = 3, .switches = {}}));
  for (const std::size_t max_nodes : {8, 2048})
    check(PlusLearner({.dims = 3, .max_nodes = max_nodes}));
}
