#include "numeric/largest_gap.hpp"

#include <vector>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

std::size_t gap(std::vector<double> levels) { return largest_gap(levels); }

}  // namespace

TEST("largest_gap: the first gap counts from zero") {
  CHECK(gap({5.0}) == 0);
  CHECK(gap({5.0, 6.0, 7.0}) == 0);
}

TEST("largest_gap: found inside and at the end") {
  CHECK(gap({1.0, 2.0, 9.0, 10.0}) == 2);
  CHECK(gap({1.0, 2.0, 3.0, 9.0}) == 3);
}

TEST("largest_gap: equal gaps go to the one that ends higher") {
  CHECK(gap({1.0, 2.0, 3.0}) == 2);
  CHECK(gap({2.0, 3.0, 5.0, 6.0}) == 2);
}

TEST("largest_gap: equals a search over every gap") {
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> levels;
    double level = 0.0;
    for (std::size_t i = 0, n = 1 + random.below(12); i < n; ++i)
      levels.push_back(level += static_cast<double>(1 + random.below(4)));
    const std::size_t r = gap(levels);
    const auto size = [&](std::size_t i) { return levels[i] - (i ? levels[i - 1] : 0.0); };
    for (std::size_t i = 0; i < levels.size(); ++i)
      CHECK(i <= r ? size(i) <= size(r) : size(i) < size(r));
  }
}
