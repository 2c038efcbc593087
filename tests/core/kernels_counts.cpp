#include <algorithm>
#include <cmath>
#include <limits>

#include "levels.hpp"
#include "random.hpp"

using namespace phida;

TEST("kernels: count_supports counts correctly at any length") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t n = 0; n <= 70; ++n) {
      std::vector<double> support(n);
      for (double& m : support) m = static_cast<double>(1 + random.below(6));
      for (double limit = 1.0; limit <= 7.0; limit += 1.0) {
        std::size_t above_one = 99, up_to_limit = 99, above = 0, within = 0;
        k.count_supports(support.data(), n, limit, &above_one, &up_to_limit);
        for (const double m : support) {
          above += m > 1.0;
          within += m > 1.0 && m <= limit;
        }
        CHECK(above_one == above && up_to_limit == within);
      }
    }
  });
}

TEST("kernels: positions_within returns every value within its own limit, ascending") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    for (std::size_t n = 0; n <= 40; ++n) {
      AlignedDoubles values = random.values(n), limits = random.values(n);
      for (std::size_t i = 0; i < n; i += 3) limits[i] = i % 2 ? values[i] : INFINITY;
      std::vector<std::int32_t> got(n + 1), expected;
      for (std::size_t i = 0; i < n; ++i)
        if (values[i] <= limits[i]) expected.push_back(static_cast<std::int32_t>(i));
      got.resize(k.positions_within(values.data(), limits.data(), n, got.data()));
      CHECK(got == expected);
    }
  });
}

TEST("kernels: positions_up_to and count_up_to find every value within the limit") {
  for_each_level([](const Kernels& k) {
    Random random(3);
    for (std::size_t n = 0; n <= 150; n += n < 20 ? 1 : 13) {
      const AlignedDoubles values = random.values(n);
      const double infinity = INFINITY;
      for (const double limit : {-infinity, -0.5, n > 3 ? values[3] : 0.0, 0.5, infinity}) {
        std::vector<std::int32_t> got(n + 1), expected;
        for (std::size_t i = 0; i < n; ++i)
          if (values[i] <= limit) expected.push_back(static_cast<std::int32_t>(i));
        got.resize(k.positions_up_to(values.data(), n, limit, got.data()));
        CHECK(got == expected);
        CHECK(k.count_up_to(values.data(), n, limit) == expected.size());
      }
    }
  });
}

TEST("kernels: ranks equal the positions of a stable sort") {
  for_each_level([](const Kernels& k) {
    Random random(4);
    for (std::size_t n = 0; n <= 160; n += 16)
      for (const std::size_t different : {1, 3, 1000000}) {
        std::vector<std::int32_t> keys(n), ranks(n), order = plain::first(n);
        for (std::int32_t& key : keys)
          key = static_cast<std::int32_t>(random.below(different)) * 2000 - 7;
        for (std::size_t i = n - std::min<std::size_t>(n, 5); i < n; ++i)
          keys[i] = std::numeric_limits<std::int32_t>::max();
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
        k.ranks(keys.data(), n, ranks.data());
        for (std::size_t r = 0; r + 5 < n; ++r)
          CHECK(ranks[order[r]] == static_cast<std::int32_t>(r));
      }
  });
}

TEST(
    "kernels: first_outside finds NaN, infinity and the first value beyond the limit at any "
    "position") {
  const double limit = 1e140;
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(),
                        -std::numeric_limits<double>::quiet_NaN(),
                        INFINITY,
                        -INFINITY,
                        std::nextafter(limit, INFINITY),
                        -std::nextafter(limit, INFINITY)};
  for_each_level([&](const Kernels& k) {
    for (std::size_t n = 0; n <= 40; ++n) {
      std::vector<double> values(n, limit);
      for (std::size_t i = 0; i < n; ++i)
        if (i % 3) values[i] = i % 3 == 1 ? -limit : 0.0;
      CHECK(k.first_outside(values.data(), n, limit) == n);
      for (std::size_t at = 0; at < n; ++at) {
        for (const double value : bad) {
          std::vector<double> with = values;
          with[at] = value;
          with[n - 1] = at == n - 1 ? value : INFINITY;  // only the first counts
          CHECK(k.first_outside(with.data(), n, limit) == at);
        }
      }
    }
  });
}
