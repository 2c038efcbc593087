#include "metric/feature_transform.hpp"

#include <cmath>

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

TEST("feature_transform: equals the plain formula on scales of all sizes") {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random.below(30), dims = 1 + random.below(12);
    RowMatrix rows = random.rows(n, dims);
    for (std::size_t j = 0; j < dims; ++j) {
      const double scale = std::exp(random.uniform(-6.0, 6.0)), shift = random.normal();
      for (std::size_t i = 0; i < n; ++i) rows[i][j] = shift + scale * rows[i][j];
    }
    const FeatureTransform t = fitted(rows);
    std::vector<double> sigma;
    for (std::size_t j = 0; j < dims; ++j) {
      std::vector<double> column;
      for (std::size_t i = 0; i < n; ++i) column.push_back(rows[i][j]);
      CHECK_CLOSE(t.center[j], plain::quantile(column, 0.5), 1e-12 * (1 + std::abs(t.center[j])));
      const double s = (plain::quantile(column, 0.75) - plain::quantile(column, 0.25)) / 1.349;
      sigma.push_back(s > 0.0 ? s : 1.0);
    }
    double mean = 0.0, variance = 0.0;
    for (const double s : sigma) mean += s / static_cast<double>(dims);
    for (const double s : sigma) variance += (s - mean) * (s - mean) / static_cast<double>(dims);
    const double cv = std::sqrt(variance) / mean;
    const double gamma = cv > 0.0 ? std::max(1.0 - 1.0 / (cv * cv), 0.0) : 0.0;
    CHECK_CLOSE(t.gamma, gamma, 1e-10);
    for (std::size_t j = 0; j < dims; ++j)
      CHECK_CLOSE(t.inverse[j], std::pow(sigma[j], -t.gamma), 1e-12 * t.inverse[j]);
  }
}

TEST("feature_transform: similar scales leave distances unchanged, exactly") {
  Random random(2);
  const FeatureTransform t = fitted(random.rows(20, 5));
  CHECK(t.gamma == 0.0 && t.scaling() == nullptr);
  for (std::size_t j = 0; j < 5; ++j) CHECK(t.inverse[j] == 1.0);
}

TEST("feature_transform: one feature is never scaled") {
  Random random(3);
  CHECK(fitted(random.rows(20, 1)).gamma == 0.0);
}

TEST("feature_transform: a constant column has scale one") {
  Random random(4);
  RowMatrix rows = random.rows(20, 3);
  for (std::size_t i = 0; i < 20; ++i) {
    rows[i][1] = 7.0;
    rows[i][2] *= 1e6;
  }
  const FeatureTransform t = fitted(rows);
  CHECK(t.gamma > 0.0 && t.scaling() == t.inverse.data());
  CHECK(t.center[1] == 7.0 && t.inverse[1] == 1.0);
}

TEST("feature_transform: padding is zero") {
  Random random(5);
  const FeatureTransform t = fitted(random.rows(6, 5));
  CHECK(t.center.size() == 8 && t.inverse.size() == 8);
  for (std::size_t j = 5; j < 8; ++j) CHECK(t.center[j] == 0.0 && t.inverse[j] == 0.0);
}

TEST("feature_transform: one row is its own centre") {
  Random random(6);
  const RowMatrix rows = random.rows(1, 4);
  const FeatureTransform t = fitted(rows);
  CHECK(t.gamma == 0.0);
  for (std::size_t j = 0; j < 4; ++j) CHECK(t.center[j] == rows[0][j]);
}

TEST("feature_transform: extreme and overflowing scales give finite results") {
  RowMatrix rows(3);
  for (int i = 0; i < 9; ++i) {
    const double row[3] = {i * 1e-300, i * 1e140, static_cast<double>(i)};
    rows.append(row);
  }
  const FeatureTransform t = fitted(rows);
  CHECK(t.gamma > 0.0 && t.gamma < 1.0);
  for (std::size_t j = 0; j < 3; ++j) CHECK(std::isfinite(t.inverse[j]) && t.inverse[j] > 0.0);
}

TEST("feature_transform: only the given members count") {
  Random random(7);
  RowMatrix rows = random.rows(10, 2), chosen(2);
  const Members members{1, 4, 5, 8};
  for (const std::int32_t m : members) chosen.append(rows[m]);
  const FeatureTransform t = fitted(rows, members);
  CHECK(t.center == fitted(chosen).center && t.inverse == fitted(chosen).inverse);
}
