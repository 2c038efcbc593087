#include "metric/feature_transform.hpp"

#include <cmath>

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

TEST("feature_transform: padding is zero") {
  Random random(5);
  const FeatureTransform t = fitted(random.rows(6, 5));
  CHECK(t.center.size() == 8 && t.inverse.size() == 8);
  for (std::size_t j = 5; j < 8; ++j) CHECK(t.center[j] == 0.0 && t.inverse[j] == 0.0);
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
