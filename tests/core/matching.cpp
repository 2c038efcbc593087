#include <cmath>

#include "check.hpp"
#include "matched_nodes.hpp"

using namespace phida;

TEST("matching: returns the two nearest, with and without scaling") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random.below(70), dims = 1 + random.below(20);
    Nodes nodes(random.rows(n, dims));
    const AlignedDoubles x = random.values(padded(dims)),
                         inverse = random.values(padded(dims), 0.1, 10.0);
    const double* scaling = round % 2 ? inverse.data() : nullptr;
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i)
      d.push_back(std::sqrt(plain::square(x.data(), nodes.rows[i], scaling, dims)));
    const Match expected = first_two(d), got = nodes.match(x.data(), scaling, 0.0);
    CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
    CHECK(plain::same_bits(got.winner_distance, expected.winner_distance));
    CHECK(plain::same_bits(got.runner_up_distance, expected.runner_up_distance));
  }
}

TEST("matching: exact ties go to the lower index") {
  Random random(2);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 2 + random.below(40), dims = 1 + random.below(4);
    Nodes nodes(random.grid(n, dims, 2));
    const RowMatrix x = random.grid(1, dims, 2);
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i)
      d.push_back(std::sqrt(plain::square(x[0], nodes.rows[i], nullptr, dims)));
    const Match expected = first_two(d), got = nodes.match(x[0], nullptr, 0.0);
    CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
  }
}

TEST("matching: different squares with equal roots are a tie") {
  Random random(3);
  const double origin[8] = {};
  for (int round = 0; round < 100; ++round) {
    Nodes nodes(plain::equal_roots(random));
    CHECK(plain::square(origin, nodes.rows[0], nullptr, 2) >
          plain::square(origin, nodes.rows[1], nullptr, 2));
    const Match got = nodes.match(origin, nullptr, 0.0);
    CHECK(got.winner == 0 && got.runner_up == 1);
    CHECK(got.winner_distance == got.runner_up_distance);
  }
}

TEST("matching: a tie of roots for second place is resolved across blocks") {
  Random random(4);
  const double origin[8] = {};
  for (int round = 0; round < 50; ++round) {
    const RowMatrix pair = plain::equal_roots(random);
    RowMatrix rows(2);
    for (std::size_t i = 0; i < 30; ++i) {
      const double far[2] = {10.0 + static_cast<double>(i), 10.0};
      rows.append(i == 11 ? pair[0] : i == 27 ? pair[1] : far);
    }
    const double near[2] = {0.1, 0.1};
    rows.append(near);
    const Match got = Nodes(rows).match(origin, nullptr, 0.0);
    CHECK(got.winner == 30 && got.runner_up == 11);
  }
}

TEST("matching: penalised distances equal the plain formula") {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random.below(60), dims = 1 + random.below(12);
    Nodes nodes(random.rows(n, dims));
    nodes.give_moments(random);
    const AlignedDoubles x = random.values(padded(dims)),
                         inverse = random.values(padded(dims), 0.1, 10.0);
    const double gamma = random.uniform(0.01, 0.99);
    AlignedDoubles variance;
    global_variance(nodes.moments, dims, variance);
    std::vector<double> d;
    for (std::size_t i = 0; i < n; ++i) {
      const double g = std::sqrt(plain::square(x.data(), nodes.rows[i], inverse.data(), dims));
      const auto w = plain::weights(nodes.m2[i], nodes.support[i], variance.data(), dims);
      d.push_back(plain::penalised(g, x.data(), nodes.rows[i], inverse.data(), w, gamma));
    }
    const Match expected = first_two(d), got = nodes.match(x.data(), inverse.data(), gamma);
    CHECK(got.winner == expected.winner && got.runner_up == expected.runner_up);
    CHECK_CLOSE(got.winner_distance, expected.winner_distance, 1e-12 * expected.winner_distance);
    CHECK_CLOSE(got.runner_up_distance, expected.runner_up_distance,
                1e-12 * expected.runner_up_distance);
  }
}

TEST("matching: penalised ties between equal nodes go to the lower index") {
  Random random(6);
  for (std::size_t n = 2; n < 20; ++n) {
    const RowMatrix one = random.rows(1, 3);
    RowMatrix rows(3);
    for (std::size_t i = 0; i < n; ++i) rows.append(one[0]);
    const AlignedDoubles x = random.values(8);
    const Match got = Nodes(rows).match(x.data(), nullptr, 0.5);
    CHECK(got.winner == 0 && got.runner_up == 1);
  }
}

TEST("matching: distances that overflow still give two different nodes") {
  Random random(7);
  const AlignedDoubles inverse(8, 1e300), x = random.values(8);
  for (double gamma : {0.0, 0.5}) {
    for (std::size_t n = 2; n <= 20; ++n) {
      Nodes nodes(random.rows(n, 3));
      const Match all = nodes.match(x.data(), inverse.data(), gamma);
      CHECK(all.winner == 0 && all.runner_up == 1 && std::isinf(all.winner_distance));
      // One node equals the sample: it wins, and the first other node is the runner-up.
      const std::size_t hit = n - 1;
      std::copy_n(x.data(), 3, nodes.rows[hit]);
      nodes.matcher.set(hit, x.data());
      const Match one = nodes.match(x.data(), inverse.data(), gamma);
      CHECK(one.winner == static_cast<std::int32_t>(hit) && one.runner_up == 0 &&
            one.winner_distance == 0.0);
    }
  }
}

TEST("matching: similarity is 1 / (1 + d / s), with a lower bound for the scale") {
  CHECK(similarity(0.0, 0.0) == 1.0);
  CHECK(similarity(3.0, 3.0) == 0.5);
  CHECK(similarity(1e-12, 0.0) == 0.5);
  CHECK(similarity(INFINITY, 1.0) == 0.0);
}
