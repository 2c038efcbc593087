// Matching over many features, where rows are sieved on a grid first: the same bits as the plain sums.
#include <cmath>

#include "levels.hpp"
#include "matched_nodes.hpp"

using namespace phida;

namespace {

constexpr std::size_t kDims = 1027;

void check_two(const RowMatrix& rows, const double* x, const double* scaling) {
  std::vector<double> d;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    d.push_back(std::sqrt(plain::square(x, rows[i], scaling, kDims)));
  const Match expected = first_two(d);
  const LevelGuard guard;
  for_each_level([&](const Kernels& k) {
    use_kernels(k.level);
    const Match got = Nodes(rows).match(x, scaling, 0.0);
    CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
    CHECK(plain::same_bits(got.winner_distance, expected.winner_distance));
    CHECK(plain::same_bits(got.runner_up_distance, expected.runner_up_distance));
  });
}

// Rows around a few centres, most of them far from any one sample.
RowMatrix clusters(Random& random, std::size_t n, double offset, double spread) {
  const RowMatrix centers = random.rows(5, kDims);
  return plain::changed(random.rows(n, kDims), [&](double x, auto i, auto j) {
    return offset + spread * (x + 3.0 * centers[i % 5][j]);
  });
}

AlignedDoubles padded_scaling(Random& random) {
  AlignedDoubles scaling = random.values(kDims, 0.1, 10.0);
  scaling.resize(padded(kDims), 0.0);
  return scaling;
}

}  // namespace

TEST("matching, many features: returns the two nearest at any magnitude") {
  Random random(1);
  for (const double spread : {1.0, 1e-30, 1e-60, 1e-170, 1e30, 1e60, 1e160}) {
    for (const std::size_t n : {3, 4, 17, 60}) {
      const RowMatrix rows = clusters(random, n + 1, 0.0, spread);
      const AlignedDoubles scaling = padded_scaling(random);
      RowMatrix nodes = rows;
      nodes.resize(n);
      check_two(nodes, rows[n], nullptr);
      check_two(nodes, rows[n], scaling.data());
    }
  }
}

TEST("matching, many features: rows far from the origin are told apart") {
  Random random(2);
  for (const double offset : {1e4, 1e7, 1e9}) {
    const RowMatrix rows = clusters(random, 81, offset, 1.0);
    RowMatrix nodes = rows;
    nodes.resize(80);
    check_two(nodes, rows[80], nullptr);
  }
}

TEST("matching, many features: rows far outside the others are handled") {
  Random random(7);
  for (const std::size_t n : {3, 10, 30, 60}) {
    RowMatrix rows = clusters(random, n + 2, 0.0, 1.0);
    for (std::size_t i = n / 2; i < n + 1; ++i) rows[i][0] = 1e60 * (2.0 + rows[i][0]);
    RowMatrix nodes = rows;
    nodes.resize(n);
    check_two(nodes, rows[n], nullptr);
    check_two(nodes, rows[n + 1], nullptr);
    check_two(nodes, nodes[n - 1], nullptr);
  }
}

TEST("matching, many features: neighbours that differ in the last bits are ordered") {
  Random random(3);
  const RowMatrix one = random.rows(2, kDims);
  RowMatrix nodes(kDims);
  for (std::size_t i = 0; i < 24; ++i) {
    nodes.append(one[0]);
    double& value = nodes[i][random.below(kDims)];
    value = std::nextafter(value, i % 2 ? 2.0 : -2.0);
  }
  check_two(nodes, one[1], nullptr);
  check_two(nodes, one[0], nullptr);
}

TEST("matching, many features: few or many ties go to the lower index") {
  Random random(4);
  for (const std::size_t n : {5, 30, 80}) {
    RowMatrix nodes = random.grid(n, kDims, 2);
    const RowMatrix x = random.grid(1, kDims, 2);
    check_two(nodes, x[0], nullptr);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(nodes[0], kDims, nodes[i]);
    check_two(nodes, x[0], nullptr);
  }
}

TEST("matching, many features: penalised distances equal the plain formula") {
  Random random(5);
  for (const std::size_t n : {3, 20, 60}) {
    Nodes nodes(clusters(random, n, 0.0, 1.0));
    nodes.give_moments(random);
    const AlignedDoubles inverse = padded_scaling(random);
    const RowMatrix x = random.rows(1, kDims);
    AlignedDoubles variance;
    global_variance(nodes.moments, kDims, variance);
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = std::sqrt(plain::square(x[0], nodes.rows[i], inverse.data(), kDims));
      const auto w = plain::weights(nodes.m2[i], nodes.support[i], variance.data(), kDims);
      d.push_back(plain::penalised(g, x[0], nodes.rows[i], inverse.data(), w, 0.4));
    }
    const Match expected = first_two(d), got = nodes.match(x[0], inverse.data(), 0.4);
    CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
    CHECK_CLOSE(got.winner_distance, expected.winner_distance, 1e-12 * expected.winner_distance);
  }
}

TEST("matching, many features: changed, added and removed rows are found") {
  Random random(6);
  Nodes nodes(clusters(random, 40, 0.0, 1.0));
  const RowMatrix x = random.rows(1, kDims);
  std::copy_n(x[0], kDims, nodes.rows[7]);
  nodes.matcher.set(7, x[0]);
  CHECK(nodes.match(x[0], nullptr, 0.0).winner == 7);
  nodes.rows.append(x[0]);
  nodes.matcher.append(x[0]);
  CHECK(nodes.match(x[0], nullptr, 0.0).runner_up == 40);
  const std::size_t kept[] = {3, 7, 40};
  nodes.rows.keep(kept);
  nodes.matcher.assign(nodes.rows);
  const Match got = nodes.match(x[0], nullptr, 0.0);
  CHECK(got.winner == 1 && got.runner_up == 2 && got.runner_up_distance == 0.0);
}

TEST("matching, many features: subtracting the centre changes no result") {
  Random random(7);
  const LevelGuard guard;
  for (const double offset : {0.0, 1e4, 1e9, 1e16}) {
    for (const std::size_t n : {3, 17, 60}) {
      const RowMatrix rows = clusters(random, n + 2, offset, 1.0);
      const double* const x = rows[n];
      const double* const center = rows[n + 1];
      RowMatrix nodes = rows;
      nodes.resize(n);
      std::vector<double> d;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < kDims; ++j) {
          const double a = x[j] - center[j], b = nodes[i][j] - center[j];
          sum += (a - b) * (a - b);
        }
        d.push_back(std::sqrt(sum));
      }
      const Match expected = first_two(d);
      for_each_level([&](const Kernels& k) {
        use_kernels(k.level);
        const Match got = Nodes(nodes).matcher.nearest_two_less(x, center, nodes);
        CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
        CHECK(plain::same_bits(got.winner_distance, expected.winner_distance));
        CHECK(plain::same_bits(got.runner_up_distance, expected.runner_up_distance));
      });
    }
  }
}
