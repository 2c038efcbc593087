#include "levels.hpp"

using namespace phida;

TEST("kernels: welford equals the plain step to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t n = 8; n <= 40; n += 8) {
      AlignedDoubles mean(n, 0.0), m2(n, 0.0), expected_mean(n, 0.0), expected_m2(n, 0.0);
      for (double count = 1.0; count <= 30.0; count += 1.0) {
        const AlignedDoubles x = random.values(n, -1e3, 1e3);
        double most = 0.0;
        for (std::size_t j = 0; j < n; ++j) {
          const double delta = x[j] - expected_mean[j];
          expected_mean[j] = expected_mean[j] + delta / count;
          expected_m2[j] = expected_m2[j] + delta * (x[j] - expected_mean[j]);
          most = std::max(most, expected_m2[j]);
        }
        CHECK(k.welford(x.data(), count, mean.data(), m2.data(), n) == most);
        CHECK(plain::same_bits(mean, expected_mean) && plain::same_bits(m2, expected_m2));
      }
    }
  });
}

TEST("kernels: move_towards equals the plain step to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    for (std::size_t n = 8; n <= 40; n += 8) {
      const AlignedDoubles x = random.values(n);
      AlignedDoubles row = random.values(n), expected = row;
      const double rate = random.uniform();
      for (std::size_t j = 0; j < n; ++j) expected[j] = expected[j] + rate * (x[j] - expected[j]);
      k.move_towards(x.data(), rate, row.data(), n);
      CHECK(plain::same_bits(row, expected));
    }
  });
}
