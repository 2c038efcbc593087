#include "topology/knn_graph.hpp"

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

double longest(const std::vector<double>& distances) {
  return plain::quantile(distances, 0.5) +
         1.5 * (plain::quantile(distances, 0.75) - plain::quantile(distances, 0.25));
}

// Compares with spec section 7, written with sorts and loops.
void check_against_plain(const RowMatrix& rows, const Members& members) {
  const std::size_t n = members.size();
  const KnnGraph graph = graph_over(rows, members);
  const FeatureTransform transform = fitted(rows, members);
  const std::size_t k = graph.k;
  std::vector<std::vector<std::int32_t>> kept(n);
  std::vector<double> all;
  for (std::size_t p = 0; p < n; ++p) {
    std::vector<std::pair<double, std::int32_t>> others;
    for (std::size_t q = 0; q < n; ++q)
      if (q != p)
        others.emplace_back(std::sqrt(plain::square(rows[members[p]], rows[members[q]],
                                                    transform.scaling(), rows.cols())),
                            static_cast<std::int32_t>(q));
    std::sort(others.begin(), others.end());
    for (std::size_t r = 0; r < k; ++r) {
      CHECK(graph.candidate[p * k + r] == others[r].second);
      CHECK(graph.distance[p * k + r] == others[r].first);
      all.push_back(others[r].first);
    }
  }
  CHECK_CLOSE(graph.global_threshold, longest(all), 1e-12);
  for (std::size_t p = 0; p < n; ++p) {
    const std::vector<double> own(all.begin() + static_cast<std::ptrdiff_t>(p * k),
                                  all.begin() + static_cast<std::ptrdiff_t>((p + 1) * k));
    CHECK_CLOSE(graph.row_threshold[p], longest(own), 1e-12);
    for (std::size_t r = 0; r < k; ++r)
      if (r == 0 || (own[r] <= graph.row_threshold[p] && own[r] <= graph.global_threshold))
        kept[p].push_back(graph.candidate[p * k + r]);
  }
  const auto keeps = [&](std::size_t p, std::size_t q) {
    return std::find(kept[p].begin(), kept[p].end(), static_cast<std::int32_t>(q)) != kept[p].end();
  };
  for (std::size_t p = 0; p < n; ++p) {
    std::vector<std::int32_t> expected;
    for (std::size_t q = 0; q < n; ++q)
      if (q != p && keeps(p, q) && keeps(q, p)) expected.push_back(static_cast<std::int32_t>(q));
    const auto got = graph.edges.neighbours(p);
    CHECK(std::equal(expected.begin(), expected.end(), got.begin(), got.end()));
  }
}

}  // namespace

TEST("knn_graph: vertices are positions in the members") {
  Random random(6);
  const RowMatrix rows = random.rows(30, 3);
  check_against_plain(rows, {1, 4, 5, 9, 12, 20, 21, 29});
}

TEST("knn_graph: equal roots of different squares are a tie") {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    // both at nearly the same distance from the origin
    RowMatrix rows = plain::equal_roots(random);
    const double origin[2] = {0.0, 0.0};
    rows.append(origin);
    for (double shift : {50.0, 51.0, 53.0}) {  // many more rows, so that k stays below n - 1
      const double far[2] = {shift, shift};
      rows.append(far);
    }
    check_against_plain(rows, plain::first(rows.rows()));
  }
}

TEST("knn_graph: one builder makes graphs of different sizes in turn") {
  Random random(8);
  KnnGraphBuilder reused;
  KnnGraph graph;
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = random.below(70), dims = 1 + random.below(10);
    const RowMatrix rows = random.rows(n, dims);
    build_graph(reused, rows, plain::first(n), std::nullopt, graph);
    const KnnGraph fresh = graph_over(rows, plain::first(n));
    CHECK(graph.candidate == fresh.candidate && graph.distance == fresh.distance);
    CHECK(graph.edges.offset == fresh.edges.offset &&
          graph.edges.neighbour == fresh.edges.neighbour);
  }
}
