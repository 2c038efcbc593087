// Squared distances of points to rows on a grid, compiled once per instruction set level like the other kernels, and once
// more with the products of AVX-512 VNNI.
#include "simd/integer_lanes.hpp"

#if defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace {

// As many points and blocks at a time as the registers hold sums.
constexpr int kGridPoints = 8 / kGridParts;
constexpr int kGridBlocks = kGridParts == 1 ? 2 : 1;
constexpr int kGridBlocksOfOne = kGridParts == 4 ? 2 : 4;
constexpr int kMostGridPoints = 16;

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
#if defined(__AVX512VNNI__)
  sums = reinterpret_cast<KeyVec>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sums), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX512BW__)
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

}  // namespace

#define PHIDA_JOIN2(a, b) a##b
#define PHIDA_JOIN(a, b) PHIDA_JOIN2(a, b)

namespace phida {

void PHIDA_JOIN(grid_squares_, PHIDA_LEVEL)(const std::int16_t* points, size_t point_stride,
                                            size_t n_points, const std::int16_t* blocks,
                                            const int32_t* norms, size_t n_blocks, size_t pairs,
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

}  // namespace phida
