// Squared distances: each lane sums its row's features in order, so the plain loop gives the same bits.
#include <algorithm>
#include <cmath>

#include "levels.hpp"
#include "numeric/blocked_rows.hpp"

using namespace phida;

TEST("kernels: squares of one, eight or some rows to many equal the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const RowMatrix eight = random.rows(8, dims);
      const AlignedDoubles inverse = random.values(padded(dims), 0.01, 100.0);
      BlockedRows points(dims), blocks(dims);
      points.assign(eight, plain::first(8));
      for (std::size_t n = 1; n <= 40; ++n) {
        const RowMatrix rows = random.rows(n, dims);
        const auto stride = static_cast<std::ptrdiff_t>(rows.stride());
        blocks.assign(rows, plain::first(n));
        const std::size_t size = blocks.blocks() * 8;
        std::vector<std::int32_t> some;
        for (std::size_t i = 0; i < n; ++i) some.push_back(static_cast<int>(random.below(n)));
        AlignedDoubles one(size), all(size * 8), forwards(n * 8), backwards(n * 8), few(padded(n));
        for (const double* const scaling : {static_cast<const double*>(nullptr), inverse.data()}) {
          k.squared_distances(eight[0], scaling, blocks.data(), size / 8, dims, one.data());
          k.squared_distances_of_eight(points.data(), scaling, blocks.data(), size / 8, dims,
                                       all.data());
          k.block_squared_distances(points.data(), scaling, rows[0], stride, n, dims,
                                    forwards.data());
          k.block_squared_distances(points.data(), scaling, rows[n - 1], -stride, n, dims,
                                    backwards.data());
          k.squares_to_rows(eight[0], scaling, rows[0], rows.stride(), some.data(), n, few.data());
          for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t point = 0; point < 8; ++point) {
              const double square = plain::square(eight[point], rows[i], scaling, dims);
              CHECK(plain::same_bits(all[i * 8 + point], square));
              CHECK(plain::same_bits(forwards[i * 8 + point], square));
              CHECK(plain::same_bits(backwards[(n - 1 - i) * 8 + point], square));
            }
            CHECK(plain::same_bits(one[i], all[i * 8]));
            CHECK(plain::same_bits(few[i], one[static_cast<std::size_t>(some[i])]));
          }
          for (std::size_t i = n; i < size; ++i) CHECK(one[i] == INFINITY);
          for (std::size_t i = n * 8; i < size * 8; ++i) CHECK(all[i] == INFINITY);
        }
      }
    }
  });
}

TEST("kernels: blocks_of_rows are those of the rows, with the last one repeated") {
  for_each_level([](const Kernels& k) {
    Random random(8);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const RowMatrix rows = random.rows(30, dims);
      for (std::size_t n = 1; n <= 20; ++n) {
        std::vector<std::int32_t> at;
        for (std::size_t i = 0; i < n; ++i) at.push_back(static_cast<int>(random.below(30)));
        AlignedDoubles got(padded(n) * dims);
        k.blocks_of_rows(rows[0], rows.stride(), at.data(), n, dims, got.data());
        at.resize(padded(n), at.back());
        BlockedRows expected(dims);
        expected.assign(rows, at);
        CHECK(std::equal(got.begin(), got.end(), expected.data()));
      }
    }
  });
}

TEST("kernels: squares_to_middle follow from those to both ends") {
  const double infinity = INFINITY;
  for_each_level([&](const Kernels& k) {
    Random random(9);
    for (std::size_t n = 8; n <= 64; n += 8) {
      AlignedDoubles one = random.values(n, 0.0, 4.0), other = random.values(n, 0.0, 4.0), got(n);
      one[0] = other[1] = infinity;
      const double quarter = random.uniform(0.0, 2.0);
      for (const double least : {-infinity, other[2]}) {
        k.squares_to_middle(one.data(), other.data(), n, quarter, least, got.data());
        for (std::size_t i = 0; i < n; ++i) {
          const double middle = std::max(0.5 * (one[i] + other[i]) - quarter, 0.0);
          CHECK(plain::same_bits(got[i], other[i] < least ? infinity : middle));
        }
      }
    }
  });
}

TEST("kernels: least_of_groups returns the first of the smallest rows, with ties and infinities") {
  for_each_level([](const Kernels& k) {
    Random random(6);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::int32_t> first = {0};
      const std::size_t groups = 1 + random.below(6);
      for (std::size_t g = 0; g < groups; ++g)
        first.push_back(first.back() + 1 + static_cast<std::int32_t>(random.below(9)));
      AlignedDoubles squares(static_cast<std::size_t>(first.back()) * 8);
      for (double& square : squares)
        square = random.below(4) == 0 ? INFINITY : static_cast<double>(random.below(4));
      AlignedDoubles least(groups * 8), row(groups * 8);
      k.least_of_groups(squares.data(), first.data(), groups, least.data(), row.data());
      for (std::size_t g = 0; g < groups; ++g)
        for (std::size_t point = 0; point < 8; ++point) {
          std::int32_t expected = first[g];
          for (std::int32_t i = first[g]; i < first[g + 1]; ++i)
            if (squares[i * 8 + point] < squares[expected * 8 + point]) expected = i;
          CHECK(row[g * 8 + point] == expected);
          CHECK(least[g * 8 + point] == squares[expected * 8 + point]);
        }
    }
  });
}

TEST("kernels: similarities equal 1 / (1 + alpha root) to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(4);
    for (std::size_t n = 8; n <= 80; n += 8) {
      AlignedDoubles values = random.values(n, 0.0, 50.0);
      values[0] = 0.0;
      values[1] = INFINITY;
      values[2] = 5e-324;
      const AlignedDoubles before = values;
      const double alpha = random.uniform(0.01, 100.0);
      k.similarities(values.data(), n, alpha);
      for (std::size_t i = 0; i < n; ++i)
        CHECK(plain::same_bits(values[i], 1.0 / (1.0 + alpha * std::sqrt(before[i]))));
      CHECK(values[0] == 1.0 && values[1] == 0.0);
    }
  });
}
