// Squared distances: each lane sums its row's features in order, so the plain loop gives the same bits.
#include <cmath>

#include "levels.hpp"
#include "numeric/blocked_rows.hpp"

using namespace phida;

TEST("kernels: squared_distances of one row to many equal the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const AlignedDoubles query = random.values(dims), inverse = random.values(dims, 0.01, 100.0);
      for (std::size_t n = 1; n <= 40; ++n) {
        const RowMatrix rows = random.rows(n, dims);
        BlockedRows blocks(dims);
        blocks.assign(rows, plain::first(n));
        AlignedDoubles squares(blocks.blocks() * 8, -1.0);
        for (const double* scaling : {static_cast<const double*>(nullptr), inverse.data()}) {
          k.squared_distances(query.data(), scaling, blocks.data(), blocks.blocks(), dims,
                              squares.data());
          for (std::size_t i = 0; i < n; ++i)
            CHECK(
                plain::same_bits(squares[i], plain::square(query.data(), rows[i], scaling, dims)));
          for (std::size_t i = n; i < squares.size(); ++i) CHECK(squares[i] == INFINITY);
        }
      }
    }
  });
}

TEST("kernels: squares_to_rows of some rows of a matrix equal the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(7);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const RowMatrix rows = random.rows(30, dims);
      const AlignedDoubles scale = random.values(padded(dims));
      for (std::size_t n = 0; n <= 20; ++n) {
        std::vector<std::int32_t> at;
        for (std::size_t i = 0; i < n; ++i)
          at.push_back(static_cast<std::int32_t>(random.below(30)));
        AlignedDoubles squares(padded(n));
        for (const double* const scaling : {static_cast<const double*>(nullptr), scale.data()}) {
          k.squares_to_rows(rows[3], scaling, rows[0], rows.stride(), at.data(), n, squares.data());
          for (std::size_t i = 0; i < n; ++i)
            CHECK(plain::same_bits(squares[i], plain::square(rows[3], rows[at[i]], scaling, dims)));
        }
      }
    }
  });
}

TEST(
    "kernels: block_squared_distances of many rows equal the plain loop to the bit, in both "
    "directions") {
  for_each_level([](const Kernels& k) {
    Random random(3);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const RowMatrix eight = random.rows(8, dims);
      const AlignedDoubles inverse = random.values(dims, 0.01, 100.0);
      BlockedRows block(dims);
      block.assign(eight, plain::first(8));
      for (std::size_t n = 1; n <= 40; ++n) {
        const RowMatrix rows = random.rows(n, dims);
        const auto stride = static_cast<std::ptrdiff_t>(rows.stride());
        AlignedDoubles out(n * 8);
        for (const double* scaling : {static_cast<const double*>(nullptr), inverse.data()})
          for (const bool backwards : {false, true}) {
            k.block_squared_distances(block.data(), scaling, rows[backwards ? n - 1 : 0],
                                      backwards ? -stride : stride, n, dims, out.data());
            for (std::size_t i = 0; i < n; ++i)
              for (std::size_t lane = 0; lane < 8; ++lane)
                CHECK(plain::same_bits(
                    out[i * 8 + lane],
                    plain::square(rows[backwards ? n - 1 - i : i], eight[lane], scaling, dims)));
          }
      }
    }
  });
}

TEST("kernels: squared_distances_of_eight points to many rows equal the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(5);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const RowMatrix eight = random.rows(8, dims);
      const AlignedDoubles inverse = random.values(dims, 0.01, 100.0);
      BlockedRows points(dims), blocks(dims);
      points.assign(eight, plain::first(8));
      for (std::size_t n = 1; n <= 40; ++n) {
        const RowMatrix rows = random.rows(n, dims);
        blocks.assign(rows, plain::first(n));
        AlignedDoubles out(blocks.blocks() * 64, -1.0);
        for (const double* scaling : {static_cast<const double*>(nullptr), inverse.data()}) {
          k.squared_distances_of_eight(points.data(), scaling, blocks.data(), blocks.blocks(), dims,
                                       out.data());
          for (std::size_t i = 0; i < n * 8; ++i)
            CHECK(
                plain::same_bits(out[i], plain::square(rows[i / 8], eight[i % 8], scaling, dims)));
          for (std::size_t i = n * 8; i < out.size(); ++i) CHECK(out[i] == INFINITY);
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
