// Products of rows of floats, for bounds that only select candidates. Included only by kernels.cpp, like lanes.hpp.
#pragma once

#include "simd/float_lanes.hpp"
#include "simd/kernels.hpp"

namespace {

// Points at a time: so many that their sums are eight vectors, which fit into the registers.
constexpr int kProductPoints = 8 / kFloatParts;

PHIDA_INLINE FloatVec multiply_add(FloatVec a, FloatVec b, FloatVec sum) {
#if defined(__AVX512F__)
  return _mm512_fmadd_ps(a, b, sum);
#elif defined(__FMA__)
  return _mm256_fmadd_ps(a, b, sum);
#else
  return a * b + sum;
#endif
}

// Which lanes of a are at least b, one bit each. NaN is not.
PHIDA_INLINE unsigned lanes_at_least(FloatVec a, FloatVec b) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
#elif defined(__AVX__)
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmpge_ps(a, b)));
#else
  unsigned bits = 0;
  for (int i = 0; i < kFloatWidth; ++i) bits |= unsigned{a[i] >= b[i]} << i;
  return bits;
#endif
}

// The products of kProductPoints points with the sixteen rows of a block.
PHIDA_INLINE void block_products(const float* points, const float* block, size_t dims,
                                 FloatVec (&total)[kProductPoints * kFloatParts]) {
  constexpr int kSums = kProductPoints * kFloatParts;
  PHIDA_UNROLL
  for (int s = 0; s < kSums; ++s) total[s] = FloatVec{};
  for (size_t from = 0; from < dims; from += phida::kProductTerms) {
    const size_t to = from + phida::kProductTerms < dims ? from + phida::kProductTerms : dims;
    FloatVec sums[kSums];
    PHIDA_UNROLL
    for (int s = 0; s < kSums; ++s) sums[s] = FloatVec{};
    for (size_t j = from; j < to; ++j) {
      const FloatLanes row = load_floats(block + j * 16);
      PHIDA_UNROLL
      for (int p = 0; p < kProductPoints; ++p) {
        const FloatVec point = FloatVec{} + points[j * 16 + static_cast<size_t>(p)];
        PHIDA_UNROLL
        for (int i = 0; i < kFloatParts; ++i)
          sums[p * kFloatParts + i] = multiply_add(point, row.part[i], sums[p * kFloatParts + i]);
      }
    }
    PHIDA_UNROLL
    for (int s = 0; s < kSums; ++s) total[s] = total[s] + sums[s];
  }
}

size_t products_from(const float* points, const float* least_of_points, const float* blocks,
                     const float* least, size_t n_blocks, size_t dims, int32_t* pairs,
                     float* products) {
  size_t found = 0;
  for (size_t b = 0; b < n_blocks; ++b) {
    const FloatLanes least_of_rows = load_floats(least + b * 16);
    for (size_t first = 0; first < 8; first += kProductPoints) {
      FloatVec total[kProductPoints * kFloatParts];
      block_products(points + first, blocks + b * dims * 16, dims, total);
      PHIDA_UNROLL
      for (int p = 0; p < kProductPoints; ++p) {
        const size_t point = first + static_cast<size_t>(p);
        const FloatVec least_of_point = FloatVec{} + least_of_points[point];
        unsigned within = 0;
        float values[16];
        PHIDA_UNROLL
        for (int i = 0; i < kFloatParts; ++i) {
          const FloatVec product = total[p * kFloatParts + i];
          within |= lanes_at_least(product, least_of_rows.part[i] + least_of_point)
                    << (i * kFloatWidth);
          *reinterpret_cast<UnalignedFloatVec*>(values + i * kFloatWidth) = product;
        }
        for (; within != 0; within &= within - 1) {
          const int lane = __builtin_ctz(within);
          pairs[found] = static_cast<int32_t>((b * 16 + static_cast<size_t>(lane)) * 8 + point);
          products[found++] = values[lane];
        }
      }
    }
  }
  return found;
}

}  // namespace
