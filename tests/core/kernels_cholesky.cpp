// The panel steps of the growing Cholesky factor. Each entry is one sum in the order of the columns.
#include "levels.hpp"

using namespace phida;

TEST("kernels: forward_substitute solves for eight rows, equal to the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t n = 0; n <= 64; n += 8) {
      const std::size_t stride = n + 8;
      const AlignedDoubles factor = random.values(stride * (n + 1)),
                           inverse = random.values(n + 1, 0.5, 2.0);
      AlignedDoubles panel = random.values(n * 8 + 8), expected = panel;
      for (std::size_t lane = 0; lane < 8; ++lane)
        for (std::size_t c = 0; c < n; ++c) {
          double sum = expected[c * 8 + lane];
          for (std::size_t t = 0; t < c; ++t)
            sum = sum - factor[c * stride + t] * expected[t * 8 + lane];
          expected[c * 8 + lane] = sum * inverse[c];
        }
      k.forward_substitute(factor.data(), stride, inverse.data(), n, panel.data());
      CHECK(plain::same_bits(panel, expected));
    }
  });
}

TEST("kernels: subtract_gram equals the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    for (std::size_t n = 0; n <= 40; ++n) {
      const AlignedDoubles panel = random.values(n * 8 + 8);
      AlignedDoubles gram = random.values(64), expected = gram;
      for (std::size_t r = 0; r < 8; ++r)
        for (std::size_t lane = 0; lane < 8; ++lane)
          for (std::size_t t = 0; t < n; ++t)
            expected[r * 8 + lane] =
                expected[r * 8 + lane] - panel[t * 8 + r] * panel[t * 8 + lane];
      k.subtract_gram(panel.data(), n, gram.data());
      CHECK(plain::same_bits(gram, expected));
    }
  });
}
