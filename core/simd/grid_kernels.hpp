// Squared distances between points on a grid of whole numbers. The sums are exact, so they do not depend on the
// vector width. Included only by kernels.cpp, like lanes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/key_ranks.hpp"
#include "simd/lanes.hpp"

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace {

constexpr int32_t kMostInteger = 0x7fffffff;

// Sixteen rows are a block, in as many vectors as needed.
constexpr int kGridParts = 16 / kKeyWidth;

// As many points and blocks at a time as the registers hold sums.
constexpr int kGridPoints = 8 / kGridParts;
constexpr int kGridBlocks = kGridParts == 1 ? 2 : 1;
constexpr int kGridBlocksOfOne = kGridParts == 4 ? 2 : 4;
constexpr int kMostGridPoints = 16;

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

#if defined(__ARM_NEON)
// Products of even and odd features are summed apart, and added at the end.
struct PairProducts {
  int32x4_t part[2];
};

PHIDA_INLINE PairProducts no_products() { return {{vdupq_n_s32(0), vdupq_n_s32(0)}}; }

PHIDA_INLINE void add_products(PairProducts& sums, KeyVec a, KeyVec b) {
  const int16x8_t x = reinterpret_cast<int16x8_t>(a), y = reinterpret_cast<int16x8_t>(b);
  sums.part[0] = vmlal_s16(sums.part[0], vget_low_s16(x), vget_low_s16(y));
  sums.part[1] = vmlal_high_s16(sums.part[1], x, y);
}

PHIDA_INLINE KeyVec total(PairProducts sums) {
  return reinterpret_cast<KeyVec>(vpaddq_s32(sums.part[0], sums.part[1]));
}
#else
typedef KeyVec PairProducts;

PHIDA_INLINE PairProducts no_products() { return KeyVec{}; }

// Adds the product of each pair of 16-bit integers.
PHIDA_INLINE void add_products(PairProducts& sums, KeyVec a, KeyVec b) {
#if defined(__AVX512BW__)
  sums += reinterpret_cast<KeyVec>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  sums += reinterpret_cast<KeyVec>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  sums += reinterpret_cast<KeyVec>(
      _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  sums += ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

PHIDA_INLINE KeyVec total(PairProducts sums) { return sums; }
#endif

struct GridProducts {
  const int32_t* points;  // pairs of grid coordinates, (pair, point)
  size_t point_stride;
  const int32_t* blocks;  // pairs of grid coordinates, (block, pair, row)
  const int32_t* norms;
  size_t pairs;
  int32_t* squares;
  size_t stride;
  KeyVec least[kMostGridPoints];  // per lane
};

template <int Points, int Blocks>
PHIDA_INLINE void squares_by_products(GridProducts& at, size_t point, size_t block) {
  constexpr int kVectors = Blocks * kGridParts;
  const int32_t* const points = at.points + point;
  const int32_t* const rows = at.blocks + block * at.pairs * 16;
  PairProducts sums[Points * kVectors];
  PHIDA_UNROLL
  for (int s = 0; s < Points * kVectors; ++s) sums[s] = no_products();
  for (size_t p = 0; p < at.pairs; ++p) {
    KeyVec row[kVectors];
    PHIDA_UNROLL
    for (int v = 0; v < kVectors; ++v)
      row[v] = load_keys(rows + (static_cast<size_t>(v / kGridParts) * at.pairs + p) * 16 +
                         v % kGridParts * kKeyWidth);
    PHIDA_UNROLL
    for (int q = 0; q < Points; ++q) {
      const KeyVec point_pair = KeyVec{} + points[p * at.point_stride + static_cast<size_t>(q)];
      PHIDA_UNROLL
      for (int v = 0; v < kVectors; ++v) add_products(sums[q * kVectors + v], point_pair, row[v]);
    }
  }
  PHIDA_UNROLL
  for (int q = 0; q < Points; ++q) {
    KeyVec& least = at.least[point + static_cast<size_t>(q)];
    PHIDA_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const size_t first = block * 16 + static_cast<size_t>(v) * kKeyWidth;
      int32_t* const to = at.squares + (point + static_cast<size_t>(q)) * at.stride + first;
      const KeyVec squares = load_keys(at.norms + first) + total(sums[q * kVectors + v]);
      *reinterpret_cast<UnalignedKeyVec*>(to) = squares;
      least = smaller(least, squares);
    }
  }
}

template <int Points>
PHIDA_INLINE void squares_of_blocks(GridProducts& at, size_t n_points, size_t n_blocks) {
  constexpr int kBlocks = Points == 1 ? kGridBlocksOfOne : kGridBlocks;
  size_t block = 0;
  for (; block + kBlocks <= n_blocks; block += kBlocks)
    for (size_t point = 0; point < n_points; point += Points)
      squares_by_products<Points, kBlocks>(at, point, block);
  for (; block < n_blocks; ++block)
    for (size_t point = 0; point < n_points; point += Points)
      squares_by_products<Points, 1>(at, point, block);
}

void grid_squares(const std::int16_t* points, size_t point_stride, size_t n_points,
                  const std::int16_t* blocks, const int32_t* norms, size_t n_blocks, size_t pairs,
                  int32_t* squares, size_t stride, int32_t* least) {
  GridProducts at{reinterpret_cast<const int32_t*>(points),
                  point_stride,
                  reinterpret_cast<const int32_t*>(blocks),
                  norms,
                  pairs,
                  squares,
                  stride,
                  {}};
  for (size_t point = 0; point < n_points; ++point) at.least[point] = KeyVec{} + kMostInteger;
  if (n_points == 1)
    squares_of_blocks<1>(at, 1, n_blocks);
  else
    squares_of_blocks<kGridPoints>(at, n_points, n_blocks);
  for (size_t point = 0; point < n_points; ++point) least[point] = smallest(at.least[point]);
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
  int32_t least = kMostInteger;
  int32_t limit = kMostInteger - 1;

  PHIDA_INLINE void lower(int32_t square) {
    if (square >= least) return;
    least = square;
    limit = limit_within(least, 0, reach);
  }
};

PHIDA_INLINE void sieve_block(GridSieve& sieve, size_t block) {
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
  KeyVec least = KeyVec{} + kMostInteger;
  PHIDA_UNROLL
  for (int s = 0; s < kGridParts; ++s) {
    const size_t at = block * 16 + static_cast<size_t>(s) * kKeyWidth;
    const KeyVec hidden = load_keys(sieve.norms + at) == kMostInteger;
    sums[s] |= hidden & kMostInteger;
    *reinterpret_cast<UnalignedKeyVec*>(sieve.squares + at) = sums[s];
    least = smaller(least, sums[s]);
  }
  sieve.lower(smallest(least));
}

size_t sieve_grid(const std::int16_t* query, const std::int16_t* blocks, const int32_t* norms,
                  size_t n_blocks, size_t pairs, double reach, int32_t* squares, int32_t* found) {
  GridSieve sieve{reinterpret_cast<const int32_t*>(query),
                  reinterpret_cast<const int32_t*>(blocks),
                  norms,
                  pairs,
                  reach,
                  squares};
  for (size_t block = 0; block < n_blocks; ++block) sieve_block(sieve, block);
  return squares_within(squares, n_blocks, sieve.least, 0, reach, found);
}

}  // namespace
