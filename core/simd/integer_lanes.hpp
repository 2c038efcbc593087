// Vectors of 32-bit integers. Included only by the kernels, like lanes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/lanes.hpp"

namespace {

using std::int32_t;
using std::size_t;

constexpr int kKeyWidth = PHIDA_VECTOR_BYTES / 4;

typedef int32_t KeyVec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
typedef int32_t UnalignedKeyVec
    __attribute__((vector_size(PHIDA_VECTOR_BYTES), aligned(4), may_alias));

PHIDA_INLINE KeyVec load_keys(const int32_t* p) {
  return *reinterpret_cast<const UnalignedKeyVec*>(p);
}

constexpr int32_t kMostInteger = 0x7fffffff;

// Sixteen rows are a block, in as many vectors as needed.
constexpr int kGridParts = 16 / kKeyWidth;

PHIDA_INLINE KeyVec smaller(KeyVec a, KeyVec b) {
#if defined(__AVX512F__)
  return reinterpret_cast<KeyVec>(
      _mm512_min_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<KeyVec>(
      _mm256_min_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return a < b ? a : b;
#endif
}

PHIDA_INLINE int32_t smallest(KeyVec a) {
#if defined(__AVX512F__)
  return _mm512_reduce_min_epi32(reinterpret_cast<__m512i>(a));
#else
  int32_t least = a[0];
  PHIDA_UNROLL
  for (int i = 1; i < kKeyWidth; ++i) least = a[i] < least ? a[i] : least;
  return least;
#endif
}

}  // namespace
