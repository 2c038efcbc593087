#include "numeric/entropy_count.hpp"

#include <cmath>
#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

TEST("entropy_count: equal masses give their number") {
  for (std::size_t n = 1; n <= 50; ++n)
    CHECK_CLOSE(entropy_count(std::vector<double>(n, 3.7)), static_cast<double>(n),
                1e-12 * static_cast<double>(n));
}

TEST("entropy_count: one mass gives exactly one") {
  CHECK(entropy_count(std::vector<double>{42.0}) == 1.0);
}

TEST("entropy_count: a negligible mass adds nothing") {
  CHECK_CLOSE(entropy_count(std::vector<double>{1.0, 1e-12}), 1.0, 1e-9);
}

TEST("entropy_count: scale does not matter, and the count is between 1 and n") {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> masses(1 + random.below(20)), scaled;
    long double total = 0, entropy = 0;
    for (double& m : masses) total += m = random.uniform(1e-6, 10.0);
    for (double m : masses) {
      entropy -= m / total * std::log(m / total);
      scaled.push_back(1024.0 * m);
    }
    const double count = entropy_count(masses);
    CHECK_CLOSE(count, static_cast<double>(std::exp(entropy)), 1e-12 * count);
    CHECK(count >= 1.0 - 1e-12 && count <= static_cast<double>(masses.size()) + 1e-12);
    CHECK(count == entropy_count(scaled));
  }
}
