// Sixteen floats as a struct of native vectors, for sums that only select candidates. Like lanes.hpp, included only
// by the kernels.
#pragma once

#include "simd/lanes.hpp"

namespace {

constexpr int kFloatWidth = PHIDA_VECTOR_BYTES / 4;
constexpr int kFloatParts = 16 / kFloatWidth;

typedef float FloatVec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
typedef float UnalignedFloatVec
    __attribute__((vector_size(PHIDA_VECTOR_BYTES), aligned(4), may_alias));

struct FloatLanes {
  FloatVec part[kFloatParts];
};

PHIDA_INLINE FloatLanes no_floats() {
  FloatLanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kFloatParts; ++i) r.part[i] = FloatVec{};
  return r;
}

PHIDA_INLINE FloatLanes load_floats(const float* p) {
  FloatLanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kFloatParts; ++i)
    r.part[i] = *reinterpret_cast<const UnalignedFloatVec*>(p + i * kFloatWidth);
  return r;
}

// a - b, as difference_by_product in lanes.hpp.
PHIDA_INLINE FloatVec difference_by_product(FloatVec a, FloatVec b) {
#if defined(__FMA__)
  FloatVec one = FloatVec{} + 1.0f;
  __asm__("" : "+x"(one));
#if defined(__AVX512F__)
  return _mm512_fmsub_ps(a, one, b);
#else
  return _mm256_fmsub_ps(a, one, b);
#endif
#else
  return a - b;
#endif
}

// total += (a - b)^2; for every second `index`, the difference is computed on the multiplication units.
PHIDA_INLINE void add_square(FloatLanes& total, FloatLanes a, FloatLanes b, int index) {
  PHIDA_UNROLL
  for (int i = 0; i < kFloatParts; ++i) {
    const FloatVec gap =
        (index + i) % 2 == 0 ? a.part[i] - b.part[i] : difference_by_product(a.part[i], b.part[i]);
    total.part[i] = total.part[i] + gap * gap;
  }
}

// Eight lanes: each pair of lanes, eight apart, added as doubles.
PHIDA_INLINE Lanes halves_added(FloatLanes a) {
  float values[16];
  PHIDA_UNROLL
  for (int i = 0; i < kFloatParts; ++i)
    *reinterpret_cast<UnalignedFloatVec*>(values + i * kFloatWidth) = a.part[i];
  return load(values) + load(values + 8);
}

}  // namespace
