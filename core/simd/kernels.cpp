// Compiled once per instruction set level, with PHIDA_LEVEL naming it. No standard-library templates here: their
// instantiations would be shared symbols, and the linker might keep the copy with the widest instructions.
#include "simd/kernels.hpp"

#include "simd/distance_kernels.hpp"
#include "simd/elementary_lanes.hpp"
#include "simd/grid_kernels.hpp"
#include "simd/key_ranks.hpp"
#include "simd/lanes.hpp"
#include "simd/product_kernels.hpp"

namespace {

using std::int32_t;
using std::size_t;

void similarities(double* values, size_t n, double alpha) {
  const Lanes one = all(1.0), scale = all(alpha);
  for (size_t i = 0; i < n; i += 8) store(values + i, one / (one + scale * root(load(values + i))));
}

// Column by column in groups of four: four columns' sums run in parallel over the finished entries.
void forward_substitute(const double* factor, size_t stride, const double* inverse_diagonal,
                        size_t n, double* panel) {
  for (size_t first = 0; first < n; first += 4) {
    const double* row = factor + first * stride;
    Lanes acc[4];
    PHIDA_UNROLL
    for (int c = 0; c < 4; ++c) acc[c] = load(panel + (first + c) * 8);
    for (size_t t = 0; t < first; ++t) {
      const Lanes done = load(panel + t * 8);
      PHIDA_UNROLL
      for (int c = 0; c < 4; ++c) acc[c] = acc[c] - all(row[c * stride + t]) * done;
    }
    PHIDA_UNROLL
    for (int c = 0; c < 4; ++c) {
      PHIDA_UNROLL
      for (int t = 0; t < c; ++t) acc[c] = acc[c] - all(row[c * stride + first + t]) * acc[t];
      acc[c] = acc[c] * all(inverse_diagonal[first + c]);
      store(panel + (first + c) * 8, acc[c]);
    }
  }
}

void subtract_gram(const double* panel, size_t n, double* gram) {
  for (int half = 0; half < 8; half += 4) {
    Lanes acc[4];
    PHIDA_UNROLL
    for (int r = 0; r < 4; ++r) acc[r] = load(gram + (half + r) * 8);
    for (size_t t = 0; t < n; ++t) {
      const Lanes column = load(panel + t * 8);
      PHIDA_UNROLL
      for (int r = 0; r < 4; ++r) acc[r] = acc[r] - all(panel[t * 8 + half + r]) * column;
    }
    PHIDA_UNROLL
    for (int r = 0; r < 4; ++r) store(gram + (half + r) * 8, acc[r]);
  }
}

double welford(const double* sample, double count, double* mean, double* m2, size_t n) {
  const Lanes number = all(count);
  Lanes most = all(0.0);
  for (size_t j = 0; j < n; j += 8) {
    const Lanes x = load(sample + j);
    const Lanes before = load(mean + j);
    const Lanes delta = x - before;
    const Lanes after = before + delta / number;
    const Lanes spread = load(m2 + j) + delta * (x - after);
    store(mean + j, after);
    store(m2 + j, spread);
    most = larger(most, spread);
  }
  return largest(most);
}

void move_towards(const double* sample, double rate, double* row, size_t n) {
  const Lanes step = all(rate);
  for (size_t j = 0; j < n; j += 8) {
    const Lanes y = load(row + j);
    store(row + j, y + step * (load(sample + j) - y));
  }
}

double feature_weights(const double* m2, double support, const double* global_variance,
                       double* weights, size_t n) {
  const Lanes zero = all(0.0), floor = all(1e-12), most = all(__DBL_MAX__);
  const Lanes freedom = all(support - 1.0 > 1.0 ? support - 1.0 : 1.0);
  const bool alone = support <= 1.0;
  Lanes total = zero;
  for (size_t j = 0; j < n; j += 8) {
    const Lanes v = load(global_variance + j);
    Lanes u = alone ? v : load(m2 + j) / freedom;
    u = select_greater(u, zero, u, v);  // also if u is NaN
    u = select_greater(u, most, v, u);
    const Lanes score = v / (larger(u, floor) + v);
    store(weights + j, score);
    total = total + score;
  }
  const Lanes first = all(sum(total));
  total = zero;
  for (size_t j = 0; j < n; j += 8) {
    const Lanes w = larger(load(weights + j) / first, floor);
    const Lanes kept =
        select_greater(load(global_variance + j), zero, w, zero);  // no weight for padding
    store(weights + j, kept);
    total = total + kept;
  }
  const Lanes second = all(sum(total));
  Lanes squares = zero;
  for (size_t j = 0; j < n; j += 8) {
    const Lanes w = load(weights + j) / second;
    store(weights + j, w);
    squares = squares + w * w;
  }
  return sum(squares);
}

double weighted_square(const double* a, const double* b, const double* inverse,
                       const double* weights, size_t n) {
  Lanes total = all(0.0);
  for (size_t j = 0; j < n; j += 8) {
    Lanes difference = load(a + j) - load(b + j);
    if (inverse) difference = difference * load(inverse + j);
    total = total + load(weights + j) * (difference * difference);
  }
  return sum(total);
}

double pair_weighted_square(const double* a, const double* b, const double* inverse,
                            const double* weights_a, const double* weights_b, size_t n,
                            double* sum_of_squares) {
  const Lanes half = all(0.5);
  Lanes total = all(0.0), squares = all(0.0);
  for (size_t j = 0; j < n; j += 8) {
    Lanes difference = load(a + j) - load(b + j);
    if (inverse) difference = difference * load(inverse + j);
    const Lanes w = half * (load(weights_a + j) + load(weights_b + j));
    total = total + w * (difference * difference);
    squares = squares + w * w;
  }
  *sum_of_squares = sum(squares);
  return sum(total);
}

void rank_columns(const double* columns, size_t stride, const int32_t* members, size_t n,
                  const double* pivots, phida::RankAround* ranks) {
  const Lanes pivot = load(pivots);
  const Lanes lowest = all(-kInfinity), highest = all(kInfinity);
  Counts below = no_counts(), above = no_counts();
  Lanes down0 = load(ranks->largest_below[0]), down1 = load(ranks->largest_below[1]);
  Lanes up0 = load(ranks->smallest_above[0]), up1 = load(ranks->smallest_above[1]);
  for (size_t i = 0; i < n; ++i) {
    const Lanes value = load(columns + (members ? static_cast<size_t>(members[i]) : i) * stride);
    count_greater(below, pivot, value);
    count_greater(above, value, pivot);
    const Lanes lower = select_greater(pivot, value, value, lowest);
    down1 = larger(down1, smaller(down0, lower));
    down0 = larger(down0, lower);
    const Lanes higher = select_greater(value, pivot, value, highest);
    up1 = smaller(up1, larger(up0, higher));
    up0 = smaller(up0, higher);
  }
  add_to(ranks->below, below);
  add_to(ranks->above, above);
  store(ranks->largest_below[0], down0);
  store(ranks->largest_below[1], down1);
  store(ranks->smallest_above[0], up0);
  store(ranks->smallest_above[1], up1);
}

void count_columns(const double* columns, size_t stride, const int32_t* members, size_t n,
                   const double* edges, size_t edge_stride, double* counts) {
  Lanes edge[4];
  Counts outside[4];
  PHIDA_UNROLL
  for (int e = 0; e < 4; ++e) {
    edge[e] = load(edges + e * edge_stride);
    outside[e] = no_counts();
  }
  for (size_t i = 0; i < n; ++i) {
    const Lanes value = load(columns + static_cast<size_t>(members[i]) * stride);
    PHIDA_UNROLL
    for (int e = 0; e < 4; e += 2) {
      count_greater(outside[e], edge[e], value);
      count_greater(outside[e + 1], value, edge[e + 1]);
    }
  }
  PHIDA_UNROLL
  for (int e = 0; e < 4; ++e) {
    store(counts + e * edge_stride, all(0.0));
    add_to(counts + e * edge_stride, outside[e]);
  }
}

void count_outside(const double* before, const double* after, const double* edges, double* counts,
                   size_t n) {
  const Lanes one = all(1.0), zero = all(0.0);
  for (int e = 0; e < 4; ++e, edges += n, counts += n) {
    const bool above = e % 2 == 1;
    for (size_t j = 0; j < n; j += 8) {
      const Lanes edge = load(edges + j), in = load(after + j);
      Lanes count = load(counts + j);
      count = count +
              (above ? select_greater(in, edge, one, zero) : select_greater(edge, in, one, zero));
      if (before) {
        const Lanes out = load(before + j);
        count = count - (above ? select_greater(out, edge, one, zero)
                               : select_greater(edge, out, one, zero));
      }
      store(counts + j, count);
    }
  }
}

void inverse_powers(double* values, size_t n, double exponent) {
  const Lanes one = all(1.0), least = all(-700.0), most = all(700.0), power = all(exponent);
  for (size_t i = 0; i < n; i += 8) {
    const Lanes log = power * logarithm(load(values + i));
    store(values + i, one / exponential(smaller(larger(log, least), most)));
  }
}

void log_densities(const double* mass, const double* squares, size_t n, double factor, double least,
                   double* out) {
  const Lanes by = all(factor), more = all(least);
  for (size_t i = 0; i < n; i += 8) {
    const Lanes m = load(mass + i);
    store(out + i, logarithm(m) - by * logarithm(load(squares + i) / m + more));
  }
}

void count_supports(const double* support, size_t n, double limit, size_t* above_one,
                    size_t* up_to_limit) {
  const Lanes one = all(1.0), zero = all(0.0), top = all(limit);
  Lanes above = zero, within = zero;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Lanes m = load(support + i);
    const Lanes is_above = select_greater(m, one, one, zero);
    above = above + is_above;
    within = within + select_greater(m, top, zero, is_above);
  }
  *above_one = static_cast<size_t>(sum(above));
  *up_to_limit = static_cast<size_t>(sum(within));
  for (; i < n; ++i) {
    *above_one += support[i] > 1.0;
    *up_to_limit += support[i] > 1.0 && support[i] <= limit;
  }
}

size_t first_outside(const double* values, size_t n, double limit) {
  const Lanes one = all(1.0), zero = all(0.0), top = all(limit), below_zero = all(-__DBL_MIN__);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const Lanes x = load(values + i);
    const Lanes room = top - larger(x, zero - x);  // NaN stays NaN, and compares false
    if (sum(select_greater(room, below_zero, one, zero)) != 8.0) break;
  }
  for (; i < n; ++i)
    if (!(values[i] >= -limit && values[i] <= limit)) return i;
  return n;
}

}  // namespace

#define PHIDA_JOIN2(a, b) a##b
#define PHIDA_JOIN(a, b) PHIDA_JOIN2(a, b)
#define PHIDA_STRING2(a) #a
#define PHIDA_STRING(a) PHIDA_STRING2(a)

namespace phida {

void PHIDA_JOIN(grid_squares_, PHIDA_LEVEL)(const std::int16_t*, size_t, size_t,
                                            const std::int16_t*, const int32_t*, size_t, size_t,
                                            int32_t*, size_t, int32_t*);

extern const Kernels PHIDA_JOIN(kernels_, PHIDA_LEVEL);
const Kernels PHIDA_JOIN(kernels_, PHIDA_LEVEL) = {
    PHIDA_STRING(PHIDA_LEVEL),
    squared_distances,
    squares_to_rows,
    blocks_of_rows,
    nearest,
    sieve_two,
    grid_places,
    PHIDA_JOIN(grid_squares_, PHIDA_LEVEL),
    squares_within,
    sieve_grid,
    products_from,
    positions_within,
    rows_up_to,
    count_up_to,
    squares_to_middle,
    ranks_of_keys,
    block_squared_distances,
    squared_distances_of_eight,
    least_of_groups,
    similarities,
    forward_substitute,
    subtract_gram,
    welford,
    move_towards,
    feature_weights,
    weighted_square,
    pair_weighted_square,
    rank_columns,
    count_columns,
    count_outside,
    inverse_powers,
    log_densities,
    count_supports,
    first_outside,
};

}  // namespace phida
