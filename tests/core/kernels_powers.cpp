// Powers and logarithms of eight values at a time equal the portable ones to the bit.
#include <limits>

#include "levels.hpp"
#include "numeric/elementary.hpp"

using namespace phida;

TEST("kernels: inverse_powers equal portable_pow to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (int round = 0; round < 2000; ++round) {
      const double exponent = random.uniform();
      AlignedDoubles values(16);
      for (double& value : values) {
        const double decade = random.uniform(-140.0, 140.0);
        value = round % 3 ? portable_exp(decade) : random.uniform(0.5, 2.0);
      }
      if (round == 0) values[0] = std::numeric_limits<double>::min();
      if (round == 0) values[1] = std::numeric_limits<double>::max();
      if (round == 0) values[2] = 1.0;
      AlignedDoubles got = values;
      k.inverse_powers(got.data(), got.size(), exponent);
      for (std::size_t i = 0; i < values.size(); ++i)
        CHECK(plain::same_bits(got[i], 1.0 / portable_pow(values[i], exponent)));
    }
  });
}

TEST("kernels: log_densities equal portable_log to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    AlignedDoubles mass(16), squares(16), got(16);
    for (int round = 0; round < 2000; ++round) {
      const double factor = random.uniform(0.5, 300.0);
      for (std::size_t i = 0; i < 16; ++i) {
        mass[i] = portable_exp(random.uniform(-20.0, 40.0));
        squares[i] = round % 4 ? portable_exp(random.uniform(-200.0, 400.0)) : 0.0;
      }
      k.log_densities(mass.data(), squares.data(), 16, factor, 1e-300, got.data());
      for (std::size_t i = 0; i < 16; ++i)
        CHECK(plain::same_bits(
            got[i], portable_log(mass[i]) - factor * portable_log(squares[i] / mass[i] + 1e-300)));
    }
  });
}
