// Logarithm and power of eight values, with the same steps and bits as core/numeric/elementary.cpp.
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

// x = m * 2^exponent with m in [1/2, 1); x is positive and normal.
PHIDA_INLINE Lanes split_exponent(Lanes x, Lanes& exponent) {
  constexpr long long kBelowExponent = (1LL << 52) - 1, kHalf = 1022LL << 52;
  constexpr long long kTwo52 = 1075LL << 52;  // 2^52, whose lowest bits hold whole numbers
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) {
    const Integers bits = reinterpret_cast<Integers>(x.part[i]);
    const Integers whole = (bits >> 52) | kTwo52;
    exponent.part[i] = reinterpret_cast<Vec>(whole) - (0x1p52 + 1022.0);
    x.part[i] = reinterpret_cast<Vec>((bits & kBelowExponent) | kHalf);
  }
  return x;
}

struct LanesSum {
  Lanes value;
  Lanes error;
};

PHIDA_INLINE LanesSum two_sum(Lanes a, Lanes b) {
  const Lanes sum = a + b;
  const Lanes b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

PHIDA_INLINE LanesSum two_product(Lanes a, Lanes b) {
  const Lanes split = all(134217729.0);  // 2^27 + 1
  const Lanes a_big = a * split;
  const Lanes a_head = a_big - (a_big - a);
  const Lanes a_tail = a - a_head;
  const Lanes b_big = b * split;
  const Lanes b_head = b_big - (b_big - b);
  const Lanes b_tail = b - b_head;
  const Lanes product = a * b;
  return {product,
          ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail};
}

PHIDA_INLINE Lanes logarithm(Lanes x) {
  constexpr double kLn2Head = 0x1.62e42fee00000p-1;
  constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;
  const Lanes one = all(1.0), two = all(2.0), root_half = all(0.70710678118654752440);
  Lanes k;
  const Lanes half = split_exponent(x, k);
  const Lanes m = select_greater(root_half, half, half * two, half);
  k = select_greater(root_half, half, k - one, k);
  const Lanes f = m - one;
  const LanesSum denominator = two_sum(m, one);
  const Lanes s = f / denominator.value;
  const LanesSum back = two_product(s, denominator.value);
  const Lanes s_tail =
      (((f - back.value) - back.error) - s * denominator.error) / denominator.value;
  const Lanes z = s * s;
  Lanes series = all(0.0);
  PHIDA_UNROLL
  for (int n = 25; n >= 3; n -= 2) series = series * z + all(1.0 / n);
  const Lanes correction = two * (s_tail + s * z * series);
  const LanesSum head = two_sum(k * all(kLn2Head), two * s);
  return head.value + (head.error + (correction + k * all(kLn2Tail)));
}

// |x| < 700.
PHIDA_INLINE Lanes exponential(Lanes x) {
  constexpr double kLn2Head = 0x1.62e42fee00000p-1;
  constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;
  const Lanes one = all(1.0), to_integer = all(0x1.8p52);
  const Lanes shifted = x * all(1.44269504088896338700) + to_integer;
  const Lanes k = shifted - to_integer;
  const Lanes r_head = x - k * all(kLn2Head);
  const Lanes r_tail = k * all(kLn2Tail);
  const Lanes r = r_head - r_tail;
  Lanes series = all(0.0);
  PHIDA_UNROLL
  for (int n = 14; n >= 2; --n) series = (series + one) * r / all(static_cast<double>(n));
  const Lanes lost = (r_head - r) - r_tail;
  return (one + (r + (r * series + lost))) * power_of_two(shifted);
}

}  // namespace
