// Eight doubles as a struct of native vectors. Forcing one 64-byte vector on a processor without them makes
// near-scalar code. Included only by kernels.cpp; everything here has internal linkage, so that wide code cannot leak
// into symbols shared with the rest of the program.
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

// Sums that cross a function call pass through memory, too.
#define PHIDA_INLINE inline __attribute__((always_inline))

namespace {

typedef double Vec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
typedef double UnalignedVec __attribute__((vector_size(PHIDA_VECTOR_BYTES), aligned(8), may_alias));

// Loops over lanes must be unrolled: an array indexed by a loop variable is kept in memory, at ten times the cost.
#if defined(__clang__)
#define PHIDA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define PHIDA_UNROLL _Pragma("GCC unroll 16")
#endif

constexpr int kWidth = PHIDA_VECTOR_BYTES / 8;
constexpr int kParts = 8 / kWidth;

// Comparisons that return the right operand on NaN, as the x86 instructions do.
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

// One value in every lane. Written as a sum with zeros, it would change -0 to 0.
PHIDA_INLINE Vec spread(double value) {
#if defined(__AVX512F__)
  return _mm512_set1_pd(value);
#elif defined(__AVX__)
  return _mm256_set1_pd(value);
#elif defined(__SSE2__)
  return _mm_set1_pd(value);
#else
  return Vec{value, value};
#endif
}

// a - b on the multiplication units: a * 1 - b is rounded once, so it is equal to the bit. Sums of squared
// differences need two additions per product, and on processors with separate units for both (AMD) the multiplication
// units would idle.
PHIDA_INLINE Vec difference_by_product(Vec a, Vec b) {
#if defined(__FMA__)
  Vec one = spread(1.0);
  __asm__("" : "+x"(one));  // otherwise the compiler would simplify this to a - b
#if defined(__AVX512F__)
  return _mm512_fmsub_pd(a, one, b);
#else
  return _mm256_fmsub_pd(a, one, b);
#endif
#else
  return a - b;
#endif
}

// A vector with its values exchanged in pairs: neighbours (Step 1), pairs of neighbours (2) or halves (4).
template <int Step>
PHIDA_INLINE Vec exchanged(Vec a) {
#if defined(__AVX512F__)
  return Step == 4   ? _mm512_shuffle_f64x2(a, a, 0x4e)
         : Step == 2 ? _mm512_permutex_pd(a, 0x4e)
                     : _mm512_permute_pd(a, 0x55);
#elif defined(__AVX__)
  return Step == 2 ? _mm256_permute2f128_pd(a, a, 1) : _mm256_permute_pd(a, 5);
#elif defined(__SSE2__)
  return _mm_shuffle_pd(a, a, 1);
#else
  return Vec{a[1], a[0]};
#endif
}

// As many vectors as they have places: rows become columns.
PHIDA_INLINE void transpose(Vec (&r)[kWidth]) {
#if defined(__AVX512F__)
  Vec pairs[8], quarters[8];
  PHIDA_UNROLL
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
  }
  PHIDA_UNROLL
  for (int i = 0; i < 2; ++i) {
    PHIDA_UNROLL
    for (int half = 0; half < 8; half += 4) {
      quarters[half + i] = _mm512_shuffle_f64x2(pairs[half + i], pairs[half + i + 2], 0x88);
      quarters[half + i + 2] = _mm512_shuffle_f64x2(pairs[half + i], pairs[half + i + 2], 0xdd);
    }
  }
  PHIDA_UNROLL
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_f64x2(quarters[i], quarters[i + 4], 0x88);
    r[i + 4] = _mm512_shuffle_f64x2(quarters[i], quarters[i + 4], 0xdd);
  }
#elif defined(__AVX__)
  const Vec a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
  const Vec c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
  r[0] = _mm256_permute2f128_pd(a, c, 0x20);
  r[1] = _mm256_permute2f128_pd(b, d, 0x20);
  r[2] = _mm256_permute2f128_pd(a, c, 0x31);
  r[3] = _mm256_permute2f128_pd(b, d, 0x31);
#else
  const Vec a = r[0], b = r[1];
  r[0] = Vec{a[0], b[0]};
  r[1] = Vec{a[1], b[1]};
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

// Eight floats as doubles. GCC 12 splits converted vectors otherwise.
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
  for (int i = 0; i < kParts; ++i) r.part[i] = spread(value);
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

// a - b, computed on the multiplication units for every second `index`.
PHIDA_INLINE Lanes difference(Lanes a, Lanes b, int index) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i)
    a.part[i] =
        (index + i) % 2 == 0 ? a.part[i] - b.part[i] : difference_by_product(a.part[i], b.part[i]);
  return a;
}

PHIDA_INLINE Lanes root(Lanes a) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) a.part[i] = root(a.part[i]);
  return a;
}

// `then` where a > b, else `otherwise`.
PHIDA_INLINE Lanes select_greater(Lanes a, Lanes b, Lanes then, Lanes otherwise) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i)
    a.part[i] = a.part[i] > b.part[i] ? then.part[i] : otherwise.part[i];
  return a;
}

// Whole numbers, one per lane: counting takes one step, adding doubles three.
typedef long long IntegerVec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));

struct Counts {
  IntegerVec part[kParts];
};

PHIDA_INLINE Counts no_counts() {
  Counts r;
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) r.part[i] = IntegerVec{};
  return r;
}

// Adds one where a > b.
PHIDA_INLINE void count_greater(Counts& counts, Lanes a, Lanes b) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) {
#if defined(__AVX512F__)
    const __mmask8 greater = _mm512_cmp_pd_mask(a.part[i], b.part[i], _CMP_GT_OQ);
    const __m512i before = reinterpret_cast<__m512i>(counts.part[i]);
    counts.part[i] = reinterpret_cast<IntegerVec>(
        _mm512_mask_add_epi64(before, greater, before, _mm512_set1_epi64(1)));
#else
    counts.part[i] -= a.part[i] > b.part[i];  // true is -1
#endif
  }
}

PHIDA_INLINE void add_to(double* p, Counts counts) {
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) {
    PHIDA_UNROLL
    for (int k = 0; k < kWidth; ++k) p[i * kWidth + k] += static_cast<double>(counts.part[i][k]);
  }
}

// The lanes exchanged in pairs, `Step` lanes apart.
template <int Step>
PHIDA_INLINE Lanes exchanged(Lanes a) {
  if constexpr (Step < kWidth) {
    PHIDA_UNROLL
    for (int i = 0; i < kParts; ++i) a.part[i] = exchanged<Step>(a.part[i]);
    return a;
  } else {
    Lanes r;
    PHIDA_UNROLL
    for (int i = 0; i < kParts; ++i) r.part[i] = a.part[i ^ (Step / kWidth)];
    return r;
  }
}

// The fixed order in which eight lanes are added: halves, quarters, pair.
PHIDA_INLINE double sum(Lanes a) {
  a = a + exchanged<4>(a);
  a = a + exchanged<2>(a);
  a = a + exchanged<1>(a);
  return a.part[0][0];
}

PHIDA_INLINE double smallest(Lanes a) {
  a = smaller(a, exchanged<4>(a));
  a = smaller(a, exchanged<2>(a));
  a = smaller(a, exchanged<1>(a));
  return a.part[0][0];
}

PHIDA_INLINE double largest(Lanes a) {
  a = larger(a, exchanged<4>(a));
  a = larger(a, exchanged<2>(a));
  a = larger(a, exchanged<1>(a));
  return a.part[0][0];
}

// One bit per lane, the first lane lowest: whether a is at most b there.
PHIDA_INLINE unsigned lanes_within(Lanes a, Lanes b) {
  unsigned bits = 0;
  PHIDA_UNROLL
  for (int i = 0; i < kParts; ++i) {
#if defined(__AVX512F__)
    const unsigned part = _mm512_cmp_pd_mask(a.part[i], b.part[i], _CMP_LE_OQ);
#elif defined(__AVX__)
    const auto part =
        static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a.part[i], b.part[i], _CMP_LE_OQ)));
#elif defined(__SSE2__)
    const auto part = static_cast<unsigned>(_mm_movemask_pd(_mm_cmple_pd(a.part[i], b.part[i])));
#else
    unsigned part = 0;
    for (int k = 0; k < kWidth; ++k) part |= unsigned{a.part[i][k] <= b.part[i][k]} << k;
#endif
    bits |= part << (i * kWidth);
  }
  return bits;
}

}  // namespace
