#include "numeric/hazen_quantile.hpp"

#include <array>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

TEST("hazen_quantile: equals values computed by hand") {
  std::array<double, 4> four{4, 1, 3, 2};
  CHECK(hazen_quantile(four, 0.5) == 2.5);
  CHECK(hazen_quantile(four, 0.25) == 1.5);
  CHECK(hazen_quantile(four, 0.75) == 3.5);
  CHECK(hazen_quantile(four, 0.0) == 1.0);
  CHECK(hazen_quantile(four, 1.0) == 4.0);
  CHECK(hazen_quantile(four, 0.3) == 1.7);
}

TEST("hazen_quantile: one value is every quantile") {
  std::array<double, 1> one{3.25};
  for (double q : {0.0, 0.1, 0.5, 1.0}) CHECK(hazen_quantile(one, q) == 3.25);
}

TEST("hazen_quantile: equals sorting, with and without ties") {
  Random random(1);
  for (std::size_t n = 1; n <= 60; ++n) {
    for (int round = 0; round < 20; ++round) {
      std::vector<double> values(n);
      for (double& v : values)
        v = round % 2 ? random.normal() : static_cast<double>(random.below(4));
      const double q = round < 4 ? 0.25 * (round + 1) : random.uniform();
      const double expected = plain::quantile(values, q);
      CHECK_CLOSE(hazen_quantile(values, q), expected, 1e-14);
    }
  }
}

TEST("hazen_quantile: interpolation is exact at both ends and between equal values") {
  Random random(3);
  for (int round = 0; round < 1000; ++round) {
    const double low = random.normal(), high = low + random.uniform();
    CHECK(interpolate(low, high, 0.0) == low);
    CHECK(interpolate(low, high, 1.0) == high);
    CHECK(interpolate(low, low, random.uniform()) == low);
  }
}

TEST("hazen_quantile: does not depend on the order of the values") {
  Random random(4);
  std::vector<double> values(31);
  for (double& v : values) v = random.normal();
  std::vector<double> reversed(values.rbegin(), values.rend());
  CHECK(plain::same_bits(hazen_quantile(values, 0.37), hazen_quantile(reversed, 0.37)));
}
