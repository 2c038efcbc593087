#include "systems/growing_determinant.hpp"

#include "check.hpp"
#include "random.hpp"

using namespace phida;
using systems::GrowingDeterminant;

namespace {

// Textbook elimination without pivoting, which a positive definite matrix permits.
double determinant(std::vector<std::vector<double>> a) {
  double product = 1.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    product *= a[k][k];
    for (std::size_t i = k + 1; i < a.size(); ++i)
      for (std::size_t j = a.size(); j-- > k;) a[i][j] -= a[i][k] / a[k][k] * a[k][j];
  }
  return product;
}

}  // namespace

TEST("growing determinant: equals elimination for every leading block of a random matrix") {
  Random random(1);
  const AlignedDoubles at = random.values(30, 0.0, 20.0);
  std::vector<std::vector<double>> matrix;
  GrowingDeterminant grown;
  for (std::size_t n = 0; n < at.size(); ++n) {
    std::vector<double> row(n + 1);
    for (std::size_t i = 0; i <= n; ++i) row[i] = std::exp(1.0 - std::abs(at[n] - at[i]));
    for (std::size_t i = 0; i < n; ++i) matrix[i].push_back(row[i]);
    matrix.push_back(row);
    grown.append(row);
    CHECK(grown.size() == n + 1);
    CHECK_CLOSE(grown.log(), std::log(determinant(matrix)), 1e-9);
  }
}

TEST("growing determinant: equal rows make it zero until a restart") {
  GrowingDeterminant grown;
  std::vector<double> first{4.0}, second{4.0, 4.0}, third{1.0, 1.0, 4.0};  // exact square roots
  grown.append(first);
  CHECK_CLOSE(grown.log(), std::log(4.0), 1e-15);
  grown.append(second);
  CHECK(grown.log() == -INFINITY);
  grown.append(third);
  CHECK(grown.log() == -INFINITY);
  grown.clear();
  CHECK(grown.size() == 0 && grown.log() == 0.0);
}
