#include "metric/feature_weights.hpp"

#include "check.hpp"
#include "metric/penalised_distance.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

TEST("feature_weights: moments are mean and variance, and the scale is the largest deviation") {
  Random random(1);
  const RowMatrix rows = random.rows(50, 5);
  Moments moments(5);
  double scale = 0.0;
  for (std::size_t i = 0; i < 50; ++i) scale = moments.add(rows[i]);
  double most = 0.0;
  for (std::size_t j = 0; j < 5; ++j) {
    double mean = 0.0, m2 = 0.0;
    for (std::size_t i = 0; i < 50; ++i) mean += rows[i][j] / 50.0;
    for (std::size_t i = 0; i < 50; ++i) m2 += (rows[i][j] - mean) * (rows[i][j] - mean);
    CHECK_CLOSE(moments.mean[j], mean, 1e-14);
    CHECK_CLOSE(moments.m2[j], m2, 1e-12);
    most = std::max(most, std::sqrt(m2 / 49.0));
  }
  CHECK(moments.count == 50.0);
  CHECK_CLOSE(scale, most, 1e-14);
}

TEST("feature_weights: the scale has a lower bound") {
  Moments moments(3);
  const double row[8] = {1, 2, 3};
  CHECK(moments.add(row) == 1e-6);
  CHECK(moments.add(row) == 1e-6);
}

TEST("feature_weights: a missing global variance is one, and zero in the padding") {
  Moments moments(3);
  AlignedDoubles variance;
  const double a[8] = {1, 5, 0}, b[8] = {3, 5, 1e-8};
  moments.add(a);
  global_variance(moments, 3, variance);
  CHECK(variance == AlignedDoubles({1, 1, 1, 0, 0, 0, 0, 0}));
  moments.add(b);
  global_variance(moments, 3, variance);
  CHECK(variance[0] == 2.0 && variance[1] == 1.0 && variance[2] == 1e-12 && variance[3] == 0.0);
}

TEST("feature_weights: the effective number of features is between 1 and d") {
  CHECK(effective_dims(1.0, 5) == 1.0);
  CHECK(effective_dims(0.2, 5) == 5.0);
  CHECK(effective_dims(0.1, 5) == 5.0);
  CHECK(effective_dims(0.25, 5) == 4.0);
}

TEST("feature_weights: the penalised distance is never below the Euclidean one") {
  Random random(2);
  for (int round = 0; round < 1000; ++round) {
    const double g = random.uniform(), local = random.uniform(), squares = random.uniform(0.2, 1.0);
    const double gamma = random.uniform();
    const double d = penalised(g, local, squares, 5, gamma);
    const double l = std::sqrt(effective_dims(squares, 5) * local);
    CHECK(d >= g);
    CHECK_CLOSE(d, g + gamma * std::max(l - g, 0.0), 1e-15);
  }
}
