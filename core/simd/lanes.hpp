// Eight doubles as a struct of the platform's own vectors. Forcing one 64-byte vector where the processor has none
// makes near-scalar code. Included by kernels.cpp alone; everything here has internal linkage, so that wide code
// cannot leak into symbols shared with the rest of the program.
#pragma once

#include <cstddef>

#if defined(__AVX512F__)
#define PHIDA_VECTOR_BYTES 64
#elif defined(__AVX__)
#define PHIDA_VECTOR_BYTES 32
#elif defined(__GNUC__)
#define PHIDA_VECTOR_BYTES 16
#else
#error "the vector kernels need GCC or Clang"
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#endif

// Sums that cross a function call go through memory too.
#define PHIDA_INLINE inline __attribute__((always_inline))

namespace {

typedef double Vec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
typedef double UnalignedVec __attribute__((vector_size(PHIDA_VECTOR_BYTES), aligned(8), may_alias));

// Loops over lanes must vanish: an array that is indexed by a loop variable lives in memory, at ten times the cost.
#if defined(__clang__)
#define PHIDA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PHIDA_UNROLL _Pragma("GCC unroll 16")
#endif

constexpr int kWidth = PHIDA_VECTOR_BYTES / 8;
constexpr int kParts = 8 / kWidth;

// Comparisons as written, with the right operand returned on NaN, which is what the x86 instructions do.
PHIDA_INLINE Vec smaller(Vec a, Vec b) {
#if defined(__AVX512F__)
  return _mm512_min_pd(a, b);
#elif defined(__AVX__)
  return _mm256_min_pd(a, b);
#elif defined(__SSE2__)
  return _mm_min_pd(a, b);
#else
  return a < b ? a : b;
#endif
}

PHIDA_INLINE Vec larger(Vec a, Vec b) {
#if defined(__AVX512F__)
  return _mm512_max_pd(a, b);
#elif defined(__AVX__)
  return _mm256_max_pd(a, b);
#elif defined(__SSE2__)
  return _mm_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

PHIDA_INLINE Vec root(Vec a) {
#if defined(__AVX512F__)
  return _mm512_sqrt_pd(a);
#elif defined(__AVX__)
  return _mm256_sqrt_pd(a);
#elif defined(__SSE2__)
  return _mm_sqrt_pd(a);
#else
  for (int i = 0; i < kWidth; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

struct Lanes {
  Vec part[kParts];
};

PHIDA_INLINE Lanes load(const double* p) {
  Lanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i)
    r.part[i] = *reinterpret_cast<const UnalignedVec*>(p + i * kWidth);
  return r;
}

// Eight floats as doubles. Left to itself, GCC 12 takes converted vectors apart.
PHIDA_INLINE Vec widened(const float* p) {
#if defined(__AVX512F__)
  return _mm512_cvtps_pd(_mm256_loadu_ps(p));
#elif defined(__AVX__)
  return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
  Vec r;
  for (int i = 0; i < kWidth; ++i) r[i] = p[i];
  return r;
#endif
}

PHIDA_INLINE Lanes load(const float* p) {
  Lanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) r.part[i] = widened(p + i * kWidth);
  return r;
}

PHIDA_INLINE void store(double* p, Lanes a) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) *reinterpret_cast<UnalignedVec*>(p + i * kWidth) = a.part[i];
}

PHIDA_INLINE Lanes all(double value) {
  Lanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) r.part[i] = Vec{} + value;
  return r;
}

#define PHIDA_LANEWISE(name, expression)      \
  PHIDA_INLINE Lanes name(Lanes a, Lanes b) { \
    PHIDA_UNROLL                              \
    for (int i = 0; i < kParts; ++i) {        \
      const Vec x = a.part[i], y = b.part[i]; \
      a.part[i] = expression;                 \
    }                                         \
    return a;                                 \
  }
PHIDA_LANEWISE(operator+, x + y)
PHIDA_LANEWISE(operator-, x - y)
PHIDA_LANEWISE(operator*, x* y)
PHIDA_LANEWISE(operator/, x / y)
PHIDA_LANEWISE(smaller, smaller(x, y))
PHIDA_LANEWISE(larger, larger(x, y))
#undef PHIDA_LANEWISE

PHIDA_INLINE Lanes root(Lanes a) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) a.part[i] = root(a.part[i]);
  return a;
}

// where a > b: then, else otherwise.
PHIDA_INLINE Lanes select_greater(Lanes a, Lanes b, Lanes then, Lanes otherwise) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i)
    a.part[i] = a.part[i] > b.part[i] ? then.part[i] : otherwise.part[i];
  return a;
}

// The fixed order in which eight lanes are added: halves, then quarters, then the pair.
PHIDA_INLINE double sum(Lanes a) {
  double v[8];
  store(v, a);
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

PHIDA_INLINE double smallest(Lanes a) {
  double v[8];
  store(v, a);
  double m = v[0];
  PHIDA_UNROLL
  for (int i = 1; i < 8; ++i) m = v[i] < m ? v[i] : m;
  return m;
}

PHIDA_INLINE double largest(Lanes a) {
  double v[8];
  store(v, a);
  double m = v[0];
  PHIDA_UNROLL
  for (int i = 1; i < 8; ++i) m = v[i] > m ? v[i] : m;
  return m;
}

}  // namespace
