// Compiled once per instruction set, like the kernels of the core.
#include "simd/elementary_lanes.hpp"

namespace {

using std::size_t;

// Within one unit in the last place. Below -708, where digits would be lost, the result is e^-708.
PHIDA_INLINE Lanes exponential_of_negative(Lanes x) {
  constexpr double kLn2Head = 0x1.62e42fee00000p-1;  // k * head is exact
  constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;
  // One over n factorial, n = 13 down to 2: |r| is at most ln(2) / 2, so the series reaches 2^-57.
  constexpr double kSeries[] = {1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0,
                                1.0 / 3628800.0,    1.0 / 362880.0,    1.0 / 40320.0,
                                1.0 / 5040.0,       1.0 / 720.0,       1.0 / 120.0,
                                1.0 / 24.0,         1.0 / 6.0,         1.0 / 2.0};
  const Lanes to_integer =
      all(0x1.8p52);           // adding it rounds to a whole number, kept in the lowest bits
  x = larger(x, all(-708.0));  // also if x is NaN
  const Lanes shifted = x * all(1.44269504088896338700) + to_integer;
  const Lanes k = shifted - to_integer;
  const Lanes r = (x - k * all(kLn2Head)) - k * all(kLn2Tail);
  Lanes series = all(kSeries[0]);
  PHIDA_UNROLL
  for (int n = 1; n < 12; ++n) series = series * r + all(kSeries[n]);
  return (all(1.0) + (r + r * r * series)) * power_of_two(shifted);
}

// Two blocks at a time: the series are long chains, and two of them hide each other's latency.
template <int Blocks>
PHIDA_INLINE void distances(const double* query, const double* blocks, size_t dims, Lanes rate,
                            double* out) {
  Lanes sums[Blocks];
  PHIDA_UNROLL
  for (int b = 0; b < Blocks; ++b) sums[b] = all(0.0);
  for (size_t j = 0; j < dims; ++j) {
    const Lanes q = all(query[j]);
    PHIDA_UNROLL
    for (int b = 0; b < Blocks; ++b) {
      const Lanes gap = q - load(blocks + (b * dims + j) * 8);
      sums[b] = sums[b] + exponential_of_negative(gap * gap * rate);
    }
  }
  PHIDA_UNROLL
  for (int b = 0; b < Blocks; ++b)
    store(out + b * 8, root(all(1.0) - sums[b] / all(static_cast<double>(dims))));
}

}  // namespace

#define PHIDA_JOIN2(a, b) a##b
#define PHIDA_JOIN(a, b) PHIDA_JOIN2(a, b)

namespace phida::systems {

void PHIDA_JOIN(correntropy_distances_, PHIDA_LEVEL)(const double* query, const double* blocks,
                                                     size_t n_blocks, size_t dims, double bandwidth,
                                                     double* out) {
  const Lanes rate = all(-1.0 / (2.0 * bandwidth * bandwidth));
  size_t b = 0;
  for (; b + 2 <= n_blocks; b += 2)
    distances<2>(query, blocks + b * dims * 8, dims, rate, out + b * 8);
  if (b < n_blocks) distances<1>(query, blocks + b * dims * 8, dims, rate, out + b * 8);
}

}  // namespace phida::systems
