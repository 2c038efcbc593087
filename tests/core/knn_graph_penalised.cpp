// The PH graph under node-wise feature weights.
#include "check.hpp"
#include "metric/feature_weights.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

// Nodes with moments, on features of scales so different that gamma > 0.
struct Nodes {
  RowMatrix rows;
  RowMatrix m2;
  std::vector<double> support;
  Moments moments;

  Nodes(Random& random, std::size_t n, std::size_t dims)
      : rows(random.rows(n, dims)), m2(dims), moments(dims) {
    m2.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i][dims - 1] *= 1e4;
      support.push_back(static_cast<double>(1 + random.below(5)));
      for (std::size_t j = 0; j < dims; ++j) m2[i][j] = random.below(5) ? random.uniform() : 0.0;
      moments.add(rows[i]);
    }
  }
  WeightSource source() const { return {m2, support, moments}; }
};

}  // namespace

TEST("knn_graph: penalised distances equal the plain formula") {
  Random random(1);
  KnnGraphBuilder builder;
  KnnGraph graph;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 2 + random.below(60), dims = 3 + random.below(9);
    const Nodes nodes(random, n, dims);
    build_graph(builder, nodes.rows, plain::first(n), nodes.source(), graph);
    const FeatureTransform transform = fitted(nodes.rows);
    AlignedDoubles variance;
    global_variance(nodes.moments, dims, variance);
    std::vector<std::vector<double>> w(n);
    for (std::size_t i = 0; i < n; ++i)
      w[i] = plain::weights(nodes.m2[i], nodes.support[i], variance.data(), dims);
    for (std::size_t p = 0; p < n; ++p) {
      std::vector<std::pair<double, std::int32_t>> others;
      for (std::size_t q = 0; q < n; ++q) {
        if (q == p) continue;
        std::vector<double> mean(dims);
        for (std::size_t j = 0; j < dims; ++j) mean[j] = (w[p][j] + w[q][j]) / 2.0;
        const double g =
            std::sqrt(plain::square(nodes.rows[p], nodes.rows[q], transform.inverse.data(), dims));
        others.emplace_back(plain::penalised(g, nodes.rows[p], nodes.rows[q],
                                             transform.inverse.data(), mean, transform.gamma),
                            static_cast<std::int32_t>(q));
      }
      std::sort(others.begin(), others.end());
      for (std::size_t r = 0; r < graph.k; ++r) {
        CHECK(graph.candidate[p * graph.k + r] == others[r].second);
        CHECK_CLOSE(graph.distance[p * graph.k + r], others[r].first, 1e-12 * others[r].first);
      }
    }
  }
}

TEST("knn_graph: the penalised distance is symmetric") {
  Random random(2);
  const Nodes nodes(random, 50, 5);
  const KnnGraph graph = graph_over(nodes.rows, plain::first(50), nodes.source());
  CHECK(!graph.edges.neighbour.empty());
  for (std::size_t p = 0; p < 50; ++p) {
    for (std::int32_t e = graph.edges.offset[p]; e < graph.edges.offset[p + 1]; ++e) {
      const auto q = static_cast<std::size_t>(graph.edges.neighbour[e]);
      const auto back = graph.edges.neighbours(q);
      const auto at = std::find(back.begin(), back.end(), static_cast<std::int32_t>(p));
      CHECK(at != back.end());
      if (at != back.end())
        CHECK(graph.edges.length[e] ==
              graph.edges.length[graph.edges.offset[q] + (at - back.begin())]);
    }
  }
}

TEST("knn_graph: penalised distances that overflow still give k different neighbours") {
  // The first feature is so narrow that its scaled differences overflow; the last one brings gamma close to 1.
  Random random(3);
  for (std::size_t n : {6, 7, 9, 12, 21}) {
    Nodes nodes(random, n, 10);
    for (std::size_t i = 0; i < n; ++i)
      nodes.rows[i][0] = i + 1 < n ? 1e-300 * static_cast<double>(i) : 1.0;
    const KnnGraph graph = graph_over(nodes.rows, plain::first(n), nodes.source());
    CHECK(std::isinf(graph.distance[(n - 1) * graph.k]));
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t r = 0; r < graph.k; ++r) {
        const std::int32_t q = graph.candidate[p * graph.k + r];
        CHECK(q >= 0 && q < static_cast<std::int32_t>(n) && q != static_cast<std::int32_t>(p));
      }
  }
}
