// The exponential of eight non-positive values, from only +, -, *: the same bits at every level.
#pragma once

#include "simd/lanes.hpp"

namespace {

typedef long long Integers __attribute__((vector_size(PHIDA_VECTOR_BYTES)));

// 2^k for the whole number k in the lowest bits of `shifted`, which becomes the exponent.
PHIDA_INLINE Lanes power_of_two(Lanes shifted) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) {
    const Integers exponent = reinterpret_cast<Integers>(shifted.part[i]) << 52;
    shifted.part[i] = reinterpret_cast<Vec>(exponent + (1023LL << 52));
  }
  return shifted;
}

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

}  // namespace
