// Squared distances between points on a grid of whole numbers. The sums are exact, so they do not depend on the
// vector width. Included only by kernels.cpp, like lanes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/key_ranks.hpp"
#include "simd/lanes.hpp"

namespace {

constexpr int32_t kMostInteger = 0x7fffffff;

// Sixteen rows are a block, in as many vectors as needed.
constexpr int kGridParts = 16 / kKeyWidth;

// As many blocks at a time as the registers hold.
constexpr int kGridGroup = kGridParts == 4 ? 2 : 4;

// From this number of feature pairs on, and at these intervals, a group of blocks is skipped if all its rows are too
// far.
constexpr size_t kGivenUpPairs = 48, kGridLookEvery = 32;

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
                   double most, std::int16_t* places) {
  const Lanes whole = all(kWholePart), zero = all(0.0);
  Lanes off = zero, furthest = zero;
  for (size_t j = 0; j < n; j += 8) {
    const Lanes at = (load(row + j) - load(centre + j)) * load(factor + j);
    const Lanes rounded = at + whole, gap = at - (rounded - whole);
    off = off + gap * gap;
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
  return largest(furthest) <= most && square == square ? square : kInfinity;
}

struct GridSieve {
  const int32_t* query;   // pairs of grid coordinates
  const int32_t* blocks;  // (block, pair, row)
  const int32_t* hidden;
  size_t pairs;
  double reach;
  int32_t* squares;
  int32_t least = kMostInteger;
  int32_t limit = kMostInteger - 1;

  // The largest integer is reserved for rows that do not take part.
  PHIDA_INLINE void lower(int32_t square) {
    if (square >= least) return;
    least = square;
    const double distance = __builtin_sqrt(least) + reach, most = distance * distance;
    limit = most < kMostInteger - 1 ? static_cast<int32_t>(most) : kMostInteger - 1;
  }
};

template <int Blocks>
PHIDA_INLINE void add_pairs(const GridSieve& sieve, size_t block, size_t from, size_t to,
                            KeyVec (&sums)[Blocks * kGridParts]) {
  const int32_t* const rows = sieve.blocks + block * sieve.pairs * 16;
  for (size_t p = from; p < to; ++p) {
    const KeyVec q = KeyVec{} + sieve.query[p];
    PHIDA_UNROLL
    for (int b = 0; b < Blocks; ++b) {
      PHIDA_UNROLL
      for (int i = 0; i < kGridParts; ++i)
        sums[b * kGridParts + i] += pair_squares(
            q, load_keys(rows + (static_cast<size_t>(b) * sieve.pairs + p) * 16 + i * kKeyWidth));
    }
  }
}

// Returns the smallest sums per lane of the group.
template <int Blocks>
PHIDA_INLINE KeyVec grid_squares(GridSieve& sieve, size_t block) {
  constexpr int kSums = Blocks * kGridParts;
  KeyVec sums[kSums];
  PHIDA_UNROLL
  for (int s = 0; s < kSums; ++s) sums[s] = KeyVec{};
  const bool looks = sieve.pairs >= kGivenUpPairs;
  KeyVec least = KeyVec{} + kMostInteger;
  for (size_t from = 0; from < sieve.pairs;) {
    const size_t to =
        looks && from + kGridLookEvery < sieve.pairs ? from + kGridLookEvery : sieve.pairs;
    add_pairs<Blocks>(sieve, block, from, to, sums);
    from = to;
    if (from == sieve.pairs) break;
    least = sums[0];
    PHIDA_UNROLL
    for (int s = 1; s < kSums; ++s) least = smaller(least, sums[s]);
    if (smallest(least) <= sieve.limit) continue;
    PHIDA_UNROLL
    for (int s = 0; s < kSums; ++s) sums[s] = KeyVec{} + kMostInteger;
    break;
  }
  least = KeyVec{} + kMostInteger;
  PHIDA_UNROLL
  for (int s = 0; s < kSums; ++s) {
    const size_t at = block * 16 + static_cast<size_t>(s) * kKeyWidth;
    sums[s] |= load_keys(sieve.hidden + at);
    *reinterpret_cast<UnalignedKeyVec*>(sieve.squares + at) = sums[s];
    least = smaller(least, sums[s]);
  }
  if (looks) sieve.lower(smallest(least));
  return least;
}

size_t sieve_grid(const std::int16_t* query, const std::int16_t* blocks, const int32_t* hidden,
                  size_t n_blocks, size_t pairs, double reach, int32_t* squares, int32_t* found) {
  GridSieve sieve{reinterpret_cast<const int32_t*>(query),
                  reinterpret_cast<const int32_t*>(blocks),
                  hidden,
                  pairs,
                  reach,
                  squares};
  KeyVec least = KeyVec{} + kMostInteger;
  size_t block = 0;
  // Single blocks are skipped sooner than groups.
  for (; pairs < kGivenUpPairs && block + kGridGroup <= n_blocks; block += kGridGroup)
    least = smaller(least, grid_squares<kGridGroup>(sieve, block));
  for (; block < n_blocks; ++block) least = smaller(least, grid_squares<1>(sieve, block));
  sieve.lower(smallest(least));
  const KeyVec most = KeyVec{} + sieve.limit;
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

}  // namespace
