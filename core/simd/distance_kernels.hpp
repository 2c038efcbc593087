// Distances of points to many rows, and the nearest rows. Included only by kernels.cpp, once per instruction set
// level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simd/kernels.hpp"
#include "simd/lanes.hpp"

namespace {

using std::int32_t;
using std::size_t;

constexpr double kInfinity = __builtin_huge_val();

// Different squares within this factor may have equal roots, and must be compared as roots.
constexpr double kRootSlack = 1.0 + 1e-15;

// Adds the squared differences of the features `from` to `to` - 1.
template <int Blocks, bool Scaled>
PHIDA_INLINE void add_squares(const double* query, const double* inverse, const double* blocks,
                              size_t dims, size_t from, size_t to, Lanes (&sums)[Blocks]) {
  for (size_t j = from; j < to; ++j) {
    const Lanes q = all(query[j]);
    PHIDA_UNROLL
    for (int b = 0; b < Blocks; ++b) {
      Lanes gap = difference(q, load(blocks + (b * dims + j) * 8), b);
      if constexpr (Scaled) gap = gap * all(inverse[j]);
      sums[b] = sums[b] + gap * gap;
    }
  }
}

template <int Blocks, bool Scaled>
PHIDA_INLINE void accumulate(const double* query, const double* inverse, const double* blocks,
                             size_t dims, Lanes (&sums)[Blocks]) {
  PHIDA_UNROLL
  for (int b = 0; b < Blocks; ++b) sums[b] = all(0.0);
  add_squares<Blocks, Scaled>(query, inverse, blocks, dims, 0, dims, sums);
}

// Calls visit(block, sums) for every block; four blocks at a time hide the latency of the additions.
template <bool Scaled, class Visit>
PHIDA_INLINE void for_each_block(const double* query, const double* inverse, const double* blocks,
                                 size_t n_blocks, size_t dims, Visit visit) {
  size_t b = 0;
  for (; b + 4 <= n_blocks; b += 4) {
    Lanes sums[4];
    accumulate<4, Scaled>(query, inverse, blocks + b * dims * 8, dims, sums);
    PHIDA_UNROLL
    for (int i = 0; i < 4; ++i) visit(b + i, sums[i]);
  }
  if (b + 2 <= n_blocks) {
    Lanes sums[2];
    accumulate<2, Scaled>(query, inverse, blocks + b * dims * 8, dims, sums);
    PHIDA_UNROLL
    for (int i = 0; i < 2; ++i) visit(b + i, sums[i]);
    b += 2;
  }
  if (b < n_blocks) {
    Lanes sums[1];
    accumulate<1, Scaled>(query, inverse, blocks + b * dims * 8, dims, sums);
    visit(b, sums[0]);
  }
}

template <class Visit>
PHIDA_INLINE void for_each_block(const double* query, const double* inverse, const double* blocks,
                                 size_t n_blocks, size_t dims, Visit visit) {
  if (inverse)
    for_each_block<true>(query, inverse, blocks, n_blocks, dims, visit);
  else
    for_each_block<false>(query, inverse, blocks, n_blocks, dims, visit);
}

void squared_distances(const double* query, const double* inverse, const double* blocks,
                       size_t n_blocks, size_t dims, double* squares) {
  for_each_block(query, inverse, blocks, n_blocks, dims,
                 [=](size_t b, Lanes sums) { store(squares + b * 8, sums); });
}

// Eight rows at a time become columns on the way, so that each lane sums its own row in order.
template <bool Scaled>
PHIDA_INLINE void squares_to_rows_of(const double* query, const double* scaling, const double* rows,
                                     size_t stride, const int32_t* at, size_t n, double* squares) {
  for (size_t first = 0; first < n; first += 8) {
    const double* row[8];
    PHIDA_UNROLL
    for (int r = 0; r < 8; ++r) {
      const size_t i = first + static_cast<size_t>(r);
      row[r] = rows + static_cast<size_t>(at[i < n ? i : n - 1]) * stride;
    }
    Lanes sums = all(0.0);
    for (size_t j = 0; j < stride; j += kWidth) {
      PHIDA_UNROLL
      for (int p = 0; p < kParts; ++p) {
        Vec values[kWidth];
        PHIDA_UNROLL
        for (int r = 0; r < kWidth; ++r)
          values[r] = *reinterpret_cast<const UnalignedVec*>(row[p * kWidth + r] + j);
        transpose(values);
        PHIDA_UNROLL
        for (int f = 0; f < kWidth; ++f) {
          const size_t at_feature = j + static_cast<size_t>(f);
          Vec gap = spread(query[at_feature]) - values[f];
          if (Scaled) gap = gap * spread(scaling[at_feature]);
          sums.part[p] = sums.part[p] + gap * gap;
        }
      }
    }
    store(squares + first, sums);
  }
}

void squares_to_rows(const double* query, const double* scaling, const double* rows, size_t stride,
                     const int32_t* at, size_t n, double* squares) {
  if (scaling)
    squares_to_rows_of<true>(query, scaling, rows, stride, at, n, squares);
  else
    squares_to_rows_of<false>(query, scaling, rows, stride, at, n, squares);
}

void blocks_of_rows(const double* rows, size_t stride, const int32_t* at, size_t n, size_t dims,
                    double* blocks) {
  for (size_t first = 0; first < n; first += 8, blocks += dims * 8)
    for (int p = 0; p < kParts; ++p) {
      const double* row[kWidth];
      PHIDA_UNROLL
      for (int r = 0; r < kWidth; ++r) {
        const size_t i = first + static_cast<size_t>(p * kWidth + r);
        row[r] = rows + static_cast<size_t>(at[i < n ? i : n - 1]) * stride;
      }
      for (size_t j = 0; j < dims; j += kWidth) {
        Vec values[kWidth];
        PHIDA_UNROLL
        for (int r = 0; r < kWidth; ++r)
          values[r] = *reinterpret_cast<const UnalignedVec*>(row[r] + j);
        transpose(values);
        PHIDA_UNROLL
        for (int f = 0; f < kWidth; ++f)
          if (j + static_cast<size_t>(f) < dims)
            *reinterpret_cast<UnalignedVec*>(blocks + (j + static_cast<size_t>(f)) * 8 +
                                             p * kWidth) = values[f];
      }
    }
}

// Keeps best[0] <= best[1] <= ... in every lane over a sequence of values.
template <int K>
PHIDA_INLINE void insert(Lanes (&best)[K], Lanes value) {
  PHIDA_UNROLL
  for (int i = 0; i < K; ++i) {
    const Lanes pushed_out = larger(best[i], value);
    best[i] = smaller(best[i], value);
    value = pushed_out;
  }
}

// The K smallest of each lane's list and that of the lane `Step` away, ascending.
template <int Step, int K>
PHIDA_INLINE void merge_lists(Lanes (&best)[K]) {
  Lanes other[K];
  PHIDA_UNROLL
  for (int i = 0; i < K; ++i) other[i] = exchanged<Step>(best[i]);
  PHIDA_UNROLL
  for (int i = 0; i < K; ++i) best[i] = smaller(best[i], other[K - 1 - i]);
  PHIDA_UNROLL
  for (int end = K - 1; end > 0; --end) {
    PHIDA_UNROLL
    for (int i = 0; i < end; ++i) {
      const Lanes low = smaller(best[i], best[i + 1]);
      best[i + 1] = larger(best[i], best[i + 1]);
      best[i] = low;
    }
  }
}

// The same over all lanes' lists.
template <int K>
PHIDA_INLINE double kth_smallest(Lanes (&lists)[K]) {
  Lanes best[K];
  PHIDA_UNROLL
  for (int i = 0; i < K; ++i) best[i] = lists[i];
  merge_lists<4>(best);
  merge_lists<2>(best);
  merge_lists<1>(best);
  return best[K - 1].part[0][0];
}

size_t rows_up_to(const double* squares, size_t n, double limit, int32_t* rows) {
  const Lanes most = all(limit);
  size_t found = 0, i = 0;
  while (i + 8 <= n) {
    // Nearly all comparisons fail. Branches on the few successes would be mispredicted, so these are collected as
    // bits first.
    const size_t first = i;
    unsigned long long within = 0;
    for (unsigned at = 0; at < 64 && i + 8 <= n; at += 8, i += 8)
      within |= static_cast<unsigned long long>(lanes_within(load(squares + i), most)) << at;
    for (; within != 0; within &= within - 1)
      rows[found++] = static_cast<int32_t>(first) + __builtin_ctzll(within);
  }
  for (; i < n; ++i)
    if (squares[i] <= limit) rows[found++] = static_cast<int32_t>(i);
  return found;
}

size_t count_up_to(const double* values, size_t n, double limit) {
  const Lanes most = all(limit);
  size_t count = 0, i = 0;
  for (; i + 8 <= n; i += 8)
    count += static_cast<size_t>(__builtin_popcount(lanes_within(load(values + i), most)));
  for (; i < n; ++i) count += values[i] <= limit;
  return count;
}

void squares_to_middle(const double* one, const double* other, size_t n, double quarter,
                       double least, double* out) {
  const Lanes half = all(0.5), less = all(quarter), zero = all(0.0), from = all(least);
  const Lanes far = all(kInfinity);
  for (size_t i = 0; i < n; i += 8) {
    const Lanes there = load(other + i);
    const Lanes middle = larger(zero, half * (load(one + i) + there) - less);
    store(out + i, select_greater(from, there, far, middle));
  }
}

// Further features cannot reduce a sum that is already too large. From this many features on, checks at these
// intervals cost little.
constexpr size_t kLookDims = 96, kLookEvery = 48, kSieveEvery = 128;

template <int Blocks, bool Scaled>
PHIDA_INLINE bool accumulate_within(const double* query, const double* inverse,
                                    const double* blocks, size_t dims, double bound,
                                    Lanes (&sums)[Blocks]) {
  PHIDA_UNROLL
  for (int b = 0; b < Blocks; ++b) sums[b] = all(0.0);
  for (size_t from = 0; from < dims; from += kLookEvery) {
    const size_t to = from + kLookEvery < dims ? from + kLookEvery : dims;
    add_squares<Blocks, Scaled>(query, inverse, blocks, dims, from, to, sums);
    Lanes least = sums[0];
    PHIDA_UNROLL
    for (int b = 1; b < Blocks; ++b) least = smaller(least, sums[b]);
    if (smallest(least) > bound) return false;
  }
  return true;
}

template <int K, bool Scaled>
PHIDA_INLINE void nearest_within(const double* query, const double* inverse, const double* blocks,
                                 size_t n_blocks, size_t dims, double* squares, Lanes (&best)[K]) {
  double bound = kInfinity;
  const auto group = [&]<int Blocks>(size_t b) {
    Lanes sums[Blocks];
    const bool within =
        accumulate_within<Blocks, Scaled>(query, inverse, blocks + b * dims * 8, dims, bound, sums);
    PHIDA_UNROLL
    for (int i = 0; i < Blocks; ++i) {
      store(squares + (b + i) * 8, within ? sums[i] : all(kInfinity));
      if (within) insert(best, sums[i]);
    }
    if (within) bound = kth_smallest(best) * kRootSlack;
  };
  size_t b = 0;
  for (; b + 4 <= n_blocks; b += 4) group.template operator()<4>(b);
  for (; b < n_blocks; ++b) group.template operator()<1>(b);
}

template <int K>
size_t nearest_k(const double* query, const double* inverse, const double* blocks, size_t n_blocks,
                 size_t dims, bool all_squares, double* squares, int32_t* rows) {
  Lanes best[K];
  PHIDA_UNROLL
  for (int i = 0; i < K; ++i) best[i] = all(kInfinity);
  if (all_squares || dims < kLookDims)
    for_each_block(query, inverse, blocks, n_blocks, dims, [&](size_t b, Lanes sums) {
      store(squares + b * 8, sums);
      insert(best, sums);
    });
  else if (inverse)
    nearest_within<K, true>(query, inverse, blocks, n_blocks, dims, squares, best);
  else
    nearest_within<K, false>(query, inverse, blocks, n_blocks, dims, squares, best);
  return rows_up_to(squares, n_blocks * 8, kth_smallest(best) * kRootSlack, rows);
}

size_t nearest(const double* query, const double* inverse, const double* blocks, size_t n_blocks,
               size_t dims, size_t k, bool every, double* squares, int32_t* rows) {
  switch (k) {
    case 1: return nearest_k<1>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
    case 2: return nearest_k<2>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
    case 3: return nearest_k<3>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
    case 4: return nearest_k<4>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
    case 5: return nearest_k<5>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
    default: return nearest_k<6>(query, inverse, blocks, n_blocks, dims, every, squares, rows);
  }
}

// Squared distances of a few rows, in eight lanes each; infinity for all of them once all exceed `bound`.
template <int Rows, bool Scaled>
PHIDA_INLINE void row_squares_within(const double* query, const double* inverse, const double* rows,
                                     size_t n, double bound, double* squares) {
  Lanes sums[Rows];
  PHIDA_UNROLL
  for (int r = 0; r < Rows; ++r) sums[r] = all(0.0);
  for (size_t j = 0; j < n;) {
    const size_t to = j + kSieveEvery < n ? j + kSieveEvery : n;
    for (; j < to; j += 8) {
      const Lanes q = load(query + j);
      PHIDA_UNROLL
      for (int r = 0; r < Rows; ++r) {
        Lanes gap = difference(q, load(rows + r * n + j), r);
        if constexpr (Scaled) gap = gap * load(inverse + j);
        sums[r] = sums[r] + gap * gap;
      }
    }
    bool within = false;
    PHIDA_UNROLL
    for (int r = 0; r < Rows; ++r) {
      squares[r] = sum(sums[r]);
      within |= squares[r] <= bound;
    }
    if (within) continue;
    for (int r = 0; r < Rows; ++r) squares[r] = kInfinity;
    return;
  }
}

template <bool Scaled>
size_t sieve_rows(const double* query, const double* inverse, const double* rows, size_t n_rows,
                  size_t n, const phida::Sieve& mesh, double* squares, int32_t* found) {
  double first = kInfinity, second = kInfinity, limit = kInfinity;
  const auto group = [&]<int Rows>(size_t i) {
    row_squares_within<Rows, Scaled>(query, inverse, rows + i * n, n,
                                     mesh.all_squares ? kInfinity : limit, squares + i);
    for (int r = 0; r < Rows; ++r) {
      const double square = squares[i + r];
      if (!(square < second)) continue;
      second = square < first ? first : square;
      first = square < first ? square : first;
      const double distance = __builtin_sqrt(second) + mesh.reach;
      limit = distance * distance * mesh.slack;
    }
  };
  size_t i = 0;
  for (; i + 4 <= n_rows; i += 4) group.template operator()<4>(i);
  for (; i < n_rows; ++i) group.template operator()<1>(i);
  return rows_up_to(squares, n_rows, limit, found);
}

size_t sieve_two(const double* query, const double* inverse, const double* rows, size_t n_rows,
                 size_t n, const phida::Sieve& mesh, double* squares, int32_t* found) {
  return inverse ? sieve_rows<true>(query, inverse, rows, n_rows, n, mesh, squares, found)
                 : sieve_rows<false>(query, inverse, rows, n_rows, n, mesh, squares, found);
}

size_t positions_within(const double* values, const double* limits, size_t n, int32_t* positions) {
  size_t found = 0, i = 0;
  for (; i + 8 <= n; i += 8)
    for (unsigned within = lanes_within(load(values + i), load(limits + i)); within != 0;
         within &= within - 1)
      positions[found++] = static_cast<int32_t>(i) + __builtin_ctz(within);
  for (; i < n; ++i)
    if (values[i] <= limits[i]) positions[found++] = static_cast<int32_t>(i);
  return found;
}

template <int Rows, bool Scaled>
PHIDA_INLINE void block_accumulate(const double* block, const double* inverse, const double* rows,
                                   std::ptrdiff_t stride, size_t dims, double* out) {
  Lanes sums[Rows];
  PHIDA_UNROLL
  for (int r = 0; r < Rows; ++r) sums[r] = all(0.0);
  for (size_t j = 0; j < dims; ++j) {
    const Lanes b = load(block + j * 8);
    PHIDA_UNROLL
    for (int r = 0; r < Rows; ++r) {
      Lanes gap = difference(all(rows[r * stride + static_cast<std::ptrdiff_t>(j)]), b, r);
      if constexpr (Scaled) gap = gap * all(inverse[j]);
      sums[r] = sums[r] + gap * gap;
    }
  }
  PHIDA_UNROLL
  for (int r = 0; r < Rows; ++r) store(out + r * 8, sums[r]);
}

template <bool Scaled>
PHIDA_INLINE void block_rows(const double* block, const double* inverse, const double* rows,
                             std::ptrdiff_t stride, size_t n_rows, size_t dims, double* out) {
  size_t r = 0;
  // If one register holds a block, there are enough of them for eight rows, and the block is read half as often.
  if constexpr (kParts == 1)
    for (; r + 8 <= n_rows; r += 8)
      block_accumulate<8, Scaled>(block, inverse, rows + static_cast<std::ptrdiff_t>(r) * stride,
                                  stride, dims, out + r * 8);
  for (; r + 4 <= n_rows; r += 4)
    block_accumulate<4, Scaled>(block, inverse, rows + static_cast<std::ptrdiff_t>(r) * stride,
                                stride, dims, out + r * 8);
  for (; r < n_rows; ++r)
    block_accumulate<1, Scaled>(block, inverse, rows + static_cast<std::ptrdiff_t>(r) * stride,
                                stride, dims, out + r * 8);
}

void block_squared_distances(const double* block, const double* inverse, const double* rows,
                             std::ptrdiff_t stride, size_t n_rows, size_t dims, double* out) {
  if (inverse)
    block_rows<true>(block, inverse, rows, stride, n_rows, dims, out);
  else
    block_rows<false>(block, inverse, rows, stride, n_rows, dims, out);
}

// A block of rows is read in parts, each of as many rows as the registers hold.
template <bool Scaled>
PHIDA_INLINE void eight_to_blocks(const double* points, const double* inverse, const double* blocks,
                                  size_t n_blocks, size_t dims, double* out) {
  constexpr int kRows = 8 / kParts;
  for (size_t row = 0; row < n_blocks * 8; row += kRows) {
    const double* rows = blocks + row / 8 * dims * 8 + row % 8;
    Lanes sums[kRows];
    PHIDA_UNROLL
    for (int r = 0; r < kRows; ++r) sums[r] = all(0.0);
    for (size_t j = 0; j < dims; ++j) {
      const Lanes p = load(points + j * 8);
      PHIDA_UNROLL
      for (int r = 0; r < kRows; ++r) {
        Lanes gap = difference(p, all(rows[j * 8 + r]), r);
        if constexpr (Scaled) gap = gap * all(inverse[j]);
        sums[r] = sums[r] + gap * gap;
      }
    }
    PHIDA_UNROLL
    for (int r = 0; r < kRows; ++r) store(out + (row + r) * 8, sums[r]);
  }
}

void squared_distances_of_eight(const double* points, const double* inverse, const double* blocks,
                                size_t n_blocks, size_t dims, double* out) {
  if (inverse)
    eight_to_blocks<true>(points, inverse, blocks, n_blocks, dims, out);
  else
    eight_to_blocks<false>(points, inverse, blocks, n_blocks, dims, out);
}

void least_of_groups(const double* squares, const int32_t* first, size_t n_groups, double* least,
                     double* row) {
  for (size_t g = 0; g < n_groups; ++g) {
    Lanes best = load(squares + static_cast<size_t>(first[g]) * 8), at = all(first[g]);
    for (int32_t i = first[g] + 1; i < first[g + 1]; ++i) {
      const Lanes square = load(squares + static_cast<size_t>(i) * 8);
      at = select_greater(best, square, all(i), at);
      best = smaller(square, best);
    }
    store(least + g * 8, best);
    store(row + g * 8, at);
  }
}

}  // namespace
