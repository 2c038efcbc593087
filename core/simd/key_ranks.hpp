// Sorts a few integers by counting, for each, its predecessors. Included only by kernels.cpp, like lanes.hpp.
//
// Comparing all pairs has no branch that depends on the keys, so it is faster than sorting for up to about a hundred
// keys.
#pragma once

#include "simd/integer_lanes.hpp"

namespace {

// The largest number, used as padding, may wrap: its rank is not used.
typedef uint32_t WrappingVec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));

// Subtracts -1 where the mask is true.
PHIDA_INLINE KeyVec one_more(KeyVec key, KeyVec mask) {
  return reinterpret_cast<KeyVec>(reinterpret_cast<WrappingVec>(key) -
                                  reinterpret_cast<WrappingVec>(mask));
}

// Adds one where the key is below the limit.
PHIDA_INLINE void count_below(KeyVec& counts, int32_t key, KeyVec limit) {
#if defined(__AVX512F__)
  const __m512i before = reinterpret_cast<__m512i>(counts);
  const __mmask16 below =
      _mm512_cmplt_epi32_mask(_mm512_set1_epi32(key), reinterpret_cast<__m512i>(limit));
  counts =
      reinterpret_cast<KeyVec>(_mm512_mask_add_epi32(before, below, before, _mm512_set1_epi32(1)));
#else
  counts -= (KeyVec{} + key) < limit;  // true is -1
#endif
}

void ranks_of_keys(const int32_t* keys, size_t n, int32_t* ranks) {
  KeyVec lane;
  for (int l = 0; l < kKeyWidth; ++l) lane[l] = l;
  for (size_t i = 0; i < n; i += kKeyWidth) {
    const KeyVec key = load_keys(keys + i), next = one_more(key, KeyVec{} - 1);
    KeyVec counts = {}, more = {};
    for (size_t j = 0; j < i; j += 2) {  // equal keys count if earlier, not if later
      count_below(counts, keys[j], next);
      count_below(more, keys[j + 1], next);
    }
    for (int32_t j = 0; j < kKeyWidth; ++j)
      count_below(counts, keys[i + static_cast<size_t>(j)], one_more(key, lane > (KeyVec{} + j)));
    for (size_t j = i + kKeyWidth; j < n; j += 2) {
      count_below(counts, keys[j], key);
      count_below(more, keys[j + 1], key);
    }
    *reinterpret_cast<UnalignedKeyVec*>(ranks + i) = counts + more;
  }
}

}  // namespace
