// Squared distances between points on a grid of whole numbers. The sums are exact, so they do not depend on the
// vector width. Included only by kernels.cpp, like lanes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/integer_lanes.hpp"

namespace {

// At intervals of this many feature pairs, a block is skipped if all its rows are too far.
constexpr size_t kGridLookEvery = 32;

// The sum of the two squared differences of a pair of 16-bit integers, per lane.
PHIDA_INLINE KeyVec pair_squares(KeyVec a, KeyVec b) {
  typedef std::int16_t Halves __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
  const Halves gap = reinterpret_cast<Halves>(a) - reinterpret_cast<Halves>(b);
#if defined(__AVX512BW__)
  const auto g = reinterpret_cast<__m512i>(gap);
  return reinterpret_cast<KeyVec>(_mm512_madd_epi16(g, g));
#elif defined(__AVX2__)
  const auto g = reinterpret_cast<__m256i>(gap);
  return reinterpret_cast<KeyVec>(_mm256_madd_epi16(g, g));
#elif defined(__SSE2__)
  const auto g = reinterpret_cast<__m128i>(gap);
  return reinterpret_cast<KeyVec>(_mm_madd_epi16(g, g));
#else
  const KeyVec both = reinterpret_cast<KeyVec>(gap), one = (both << 16) >> 16, other = both >> 16;
  return one * one + other * other;
#endif
}

PHIDA_INLINE KeyVec larger(KeyVec a, KeyVec b) {
#if defined(__AVX512F__)
  return reinterpret_cast<KeyVec>(
      _mm512_max_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<KeyVec>(
      _mm256_max_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return a < b ? b : a;
#endif
}

// Which lanes of a are at most b, one bit each.
PHIDA_INLINE unsigned lanes_within(KeyVec a, KeyVec b) {
#if defined(__AVX512F__)
  return _mm512_cmple_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
#elif defined(__AVX2__)
  return ~static_cast<unsigned>(
             _mm256_movemask_ps(reinterpret_cast<__m256>(reinterpret_cast<__m256i>(a > b)))) &
         0xffu;
#elif defined(__SSE2__)
  return ~static_cast<unsigned>(
             _mm_movemask_ps(reinterpret_cast<__m128>(reinterpret_cast<__m128i>(a > b)))) &
         0xfu;
#else
  unsigned bits = 0;
  for (int k = 0; k < kKeyWidth; ++k) bits |= unsigned{a[k] <= b[k]} << k;
  return bits;
#endif
}

// Adding this leaves the whole part of a double in its lowest bits, as two's complement.
constexpr double kWholePart = 0x1.8p52;

double grid_places(const double* row, const double* centre, const double* factor, size_t n,
                   double most, std::int16_t* places, int32_t* norm) {
  const Lanes whole = all(kWholePart), zero = all(0.0);
  Lanes off = zero, furthest = zero, squares = zero;
  for (size_t j = 0; j < n; j += 8) {
    const Lanes at = (load(row + j) - load(centre + j)) * load(factor + j);
    const Lanes rounded = at + whole, place = rounded - whole, gap = at - place;
    off = off + gap * gap;
    squares = squares + place * place;
    furthest = larger(furthest, larger(at, zero - at));
    double bits[8];
    store(bits, rounded);
    PHIDA_UNROLL
    for (int k = 0; k < 8; ++k) {
      long long integer;
      __builtin_memcpy(&integer, bits + k, 8);
      places[j + static_cast<size_t>(k)] = static_cast<std::int16_t>(integer);
    }
  }
  const double square = sum(off);
  if (!(largest(furthest) <= most && square == square)) return kInfinity;
  *norm = static_cast<int32_t>(sum(squares));
  return square;
}

// The largest square of a distance within reach of the smallest one. Both are less `norm`. The largest integer is that
// of rows that do not take part.
PHIDA_INLINE int32_t limit_within(int32_t least, int32_t norm, double reach) {
  if (least == kMostInteger) return kMostInteger - 1;
  const double own = norm, distance = __builtin_sqrt(least + own) + reach;
  const double most = distance * distance - own;
  return most < kMostInteger - 1 ? static_cast<int32_t>(most) : kMostInteger - 1;
}

size_t squares_within(const int32_t* squares, size_t n_blocks, int32_t least, int32_t norm,
                      double reach, int32_t* found) {
  const KeyVec most = KeyVec{} + limit_within(least, norm, reach);
  size_t n = 0;
  for (size_t b = 0; b < n_blocks; b += 4) {
    const size_t to = (b + 4 < n_blocks ? b + 4 : n_blocks) * 16;
    unsigned long long within = 0;
    for (size_t i = b * 16; i < to; i += kKeyWidth)
      within |= static_cast<unsigned long long>(lanes_within(load_keys(squares + i), most))
                << (i - b * 16);
    for (; within != 0; within &= within - 1)
      found[n++] = static_cast<int32_t>(b * 16) + __builtin_ctzll(within);
  }
  return n;
}

// Squares as sums of squared differences, which only grow, so that far blocks are skipped.
struct GridSieve {
  const int32_t* query;   // pairs of grid coordinates
  const int32_t* blocks;  // (block, pair, row)
  const int32_t* norms;
  size_t pairs;
  double reach;
  int32_t* squares;
  int32_t least = kMostInteger;  // the K-th smallest so far
  int32_t limit = kMostInteger - 1;

  PHIDA_INLINE void lower(int32_t square) {
    if (square >= least) return;
    least = square;
    limit = limit_within(least, 0, reach);
  }
};

// The K smallest sums so far of each lane, ascending.
template <int K>
struct LeastKeys {
  KeyVec of[K];

  LeastKeys() {
    for (KeyVec& keys : of) keys = KeyVec{} + kMostInteger;
  }
  PHIDA_INLINE void insert(KeyVec keys) {
    if constexpr (K == 2) of[1] = smaller(of[1], larger(of[0], keys));
    of[0] = smaller(of[0], keys);
  }
  // The K-th smallest of all lanes, or a larger one if the smallest occurs in several.
  PHIDA_INLINE int32_t last() const {
    const int32_t first = smallest(of[0]);
    if constexpr (K == 1) return first;
    return smallest(of[0] == (KeyVec{} + first) ? of[K - 1] : of[0]);
  }
};

template <int K>
PHIDA_INLINE void sieve_block(GridSieve& sieve, size_t block, LeastKeys<K>& best) {
  const int32_t* const rows = sieve.blocks + block * sieve.pairs * 16;
  KeyVec sums[kGridParts];
  PHIDA_UNROLL
  for (int s = 0; s < kGridParts; ++s) sums[s] = KeyVec{};
  for (size_t from = 0; from < sieve.pairs;) {
    const size_t to = from + kGridLookEvery < sieve.pairs ? from + kGridLookEvery : sieve.pairs;
    for (; from < to; ++from) {
      const KeyVec q = KeyVec{} + sieve.query[from];
      PHIDA_UNROLL
      for (int s = 0; s < kGridParts; ++s)
        sums[s] += pair_squares(q, load_keys(rows + from * 16 + s * kKeyWidth));
    }
    if (from == sieve.pairs) break;
    KeyVec least = sums[0];
    PHIDA_UNROLL
    for (int s = 1; s < kGridParts; ++s) least = smaller(least, sums[s]);
    if (smallest(least) <= sieve.limit) continue;
    PHIDA_UNROLL
    for (int s = 0; s < kGridParts; ++s) sums[s] = KeyVec{} + kMostInteger;
    break;
  }
  PHIDA_UNROLL
  for (int s = 0; s < kGridParts; ++s) {
    const size_t at = block * 16 + static_cast<size_t>(s) * kKeyWidth;
    const KeyVec hidden = load_keys(sieve.norms + at) == kMostInteger;
    sums[s] |= hidden & kMostInteger;
    *reinterpret_cast<UnalignedKeyVec*>(sieve.squares + at) = sums[s];
    best.insert(sums[s]);
  }
  if (sieve.pairs > kGridLookEvery) sieve.lower(best.last());
}

template <int K>
size_t sieve_grid_of(GridSieve sieve, size_t n_blocks, int32_t* found) {
  LeastKeys<K> best;
  for (size_t block = 0; block < n_blocks; ++block) sieve_block(sieve, block, best);
  return squares_within(sieve.squares, n_blocks, best.last(), 0, sieve.reach, found);
}

size_t sieve_grid(const std::int16_t* query, const std::int16_t* blocks, const int32_t* norms,
                  size_t n_blocks, size_t pairs, size_t count, double reach, int32_t* squares,
                  int32_t* found) {
  const GridSieve sieve{reinterpret_cast<const int32_t*>(query),
                        reinterpret_cast<const int32_t*>(blocks),
                        norms,
                        pairs,
                        reach,
                        squares};
  return count == 1 ? sieve_grid_of<1>(sieve, n_blocks, found)
                    : sieve_grid_of<2>(sieve, n_blocks, found);
}

}  // namespace
