// The correntropy-induced metric, compiled once per instruction set level like the other kernels.
#include "simd/exponential.hpp"

namespace {

using std::size_t;

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

namespace phida {

void PHIDA_JOIN(correntropy_distances_, PHIDA_LEVEL)(const double* query, const double* blocks,
                                                     size_t n_blocks, size_t dims, double bandwidth,
                                                     double* out) {
  const Lanes rate = all(-1.0 / (2.0 * bandwidth * bandwidth));
  size_t b = 0;
  for (; b + 2 <= n_blocks; b += 2)
    distances<2>(query, blocks + b * dims * 8, dims, rate, out + b * 8);
  if (b < n_blocks) distances<1>(query, blocks + b * dims * 8, dims, rate, out + b * 8);
}

}  // namespace phida
