// The rows that can be among the k nearest, including ties of roots.
#include <cmath>

#include "levels.hpp"
#include "numeric/blocked_rows.hpp"

using namespace phida;

namespace {

void check_nearest(const Kernels& k, const RowMatrix& rows, const double* query,
                   const double* scaling) {
  const std::size_t n = rows.rows(), dims = rows.cols();
  BlockedRows blocks(dims);
  blocks.assign(rows, plain::first(n));
  AlignedDoubles squares(blocks.blocks() * 8);
  std::vector<std::int32_t> found(blocks.blocks() * 8);
  std::vector<double> expected;
  for (std::size_t i = 0; i < n; ++i)
    expected.push_back(plain::square(query, rows[i], scaling, dims));
  std::vector<double> sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t call = 0; call < 2 * std::min<std::size_t>(6, n); ++call) {
    const std::size_t wanted = 1 + call / 2;
    const bool all_squares = call % 2;
    const std::size_t count = k.nearest(query, scaling, blocks.data(), blocks.blocks(), dims,
                                        wanted, all_squares, squares.data(), found.data());
    // A row ruled out early has an infinite square; all other squares are equal.
    for (std::size_t i = 0; i < n; ++i)
      CHECK(plain::same_bits(squares[i], expected[i]) || (!all_squares && std::isinf(squares[i])));
    CHECK(count >= wanted && count <= n);
    if (count > n) return;
    std::vector<std::uint8_t> is_found(n, 0);
    for (std::size_t c = 0; c < count; ++c) {
      CHECK(c == 0 || found[c - 1] < found[c]);
      CHECK(expected[found[c]] <= sorted[wanted - 1] * (1.0 + 2e-15));
      is_found[found[c]] = 1;
    }
    // Every row whose root is at most the k-th root is present.
    for (std::size_t i = 0; i < n; ++i)
      if (std::sqrt(expected[i]) <= std::sqrt(sorted[wanted - 1])) CHECK(is_found[i]);
  }
}

}  // namespace

TEST("kernels: nearest returns every row up to the k-th root, on random rows") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t dims = 1; dims <= 40; ++dims)
      for (std::size_t n = 1; n <= 40; ++n) {
        const AlignedDoubles query = random.values(dims), inverse = random.values(dims, 0.1, 10.0);
        check_nearest(k, random.rows(n, dims), query.data(), n % 2 ? inverse.data() : nullptr);
      }
  });
}

TEST("kernels: nearest rules out far rows of many features, never near ones") {
  for_each_level([](const Kernels& k) {
    Random random(4);
    for (const std::size_t dims : {95, 96, 97, 144, 145, 200})
      for (const std::size_t n : {1, 7, 8, 33, 100}) {
        RowMatrix rows = random.rows(n, dims);
        const AlignedDoubles query = random.values(dims), inverse = random.values(dims, 0.1, 10.0);
        for (std::size_t i = 0; i < n; ++i)
          if (random.below(4)) rows[i][random.below(dims)] += 100.0;
        check_nearest(k, rows, query.data(), nullptr);
        check_nearest(k, rows, query.data(), inverse.data());
        const RowMatrix grid = random.grid(n + 1, dims, 2);
        check_nearest(k, grid, grid[n], nullptr);
      }
  });
}

TEST("kernels: nearest keeps every tie, also of different squares with equal roots") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    const double origin[2] = {0.0, 0.0};
    for (int round = 0; round < 2000; ++round) {
      const std::size_t dims = 1 + random.below(6);
      const RowMatrix query = random.grid(1, dims, 2);
      check_nearest(k, random.grid(1 + random.below(70), dims, 2), query[0], nullptr);
      if (round % 10 == 0) check_nearest(k, plain::equal_roots(random), origin, nullptr);
    }
  });
}

TEST("kernels: nearest finds k rows in one lane or one block") {
  // All near rows are in lane 3, or all in block 1.
  for_each_level([](const Kernels& k) {
    for (const bool one_lane : {true, false}) {
      RowMatrix rows(1);
      for (std::size_t i = 0; i < 64; ++i) {
        const bool near = one_lane ? i % 8 == 3 : i / 8 == 1;
        const double x = near ? static_cast<double>(i) : 1000.0 + static_cast<double>(i);
        rows.append(&x);
      }
      const double zero = 0.0;
      check_nearest(k, rows, &zero, nullptr);
    }
  });
}
