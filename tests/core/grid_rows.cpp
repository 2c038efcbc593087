// Rows on a grid: the sieve returns few rows, and the nearest is one of them.
#include "search/grid_rows.hpp"

#include <algorithm>

#include "levels.hpp"

using namespace phida;

namespace {

bool holds(std::span<const std::int32_t> rows, std::int32_t row) {
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

GridSearch search;

}  // namespace

TEST("grid_rows: the sieve returns few rows with the nearest, on every instruction set") {
  Random random(1);
  const LevelGuard guard;
  for (const char* const level : kLevels) {
    if (!use_kernels(level)) continue;
    for (const std::size_t dims : {1, 2, 5, 16, 95, 96, 200, 3000}) {
      const RowMatrix rows = random.rows(150, dims), queries = random.rows(20, dims);
      GridRows grid(dims);
      grid.assign(rows, plain::first(rows.rows()), nullptr);
      std::size_t left = 0;
      for (std::size_t q = 0; q < 20; ++q) {
        const auto found = grid.sieve(queries[q], search);
        CHECK(holds(found, plain::nearest(queries[q], rows, nullptr).first));
        left += found.size();
      }
      CHECK(left < 20 * 20);
    }
  }
}

TEST("grid_rows: a far row stays outside, so the grid stays fine for the others") {
  Random random(2);
  RowMatrix rows = random.rows(200, 4);
  rows[7][1] = 1e9;
  GridRows grid(4);
  grid.assign(rows, plain::first(rows.rows()), nullptr);
  const RowMatrix queries = random.rows(20, 4);
  for (std::size_t q = 0; q < 20; ++q) {
    const auto found = grid.sieve(queries[q], search);
    CHECK(found.size() < 20 && holds(found, 7) &&
          holds(found, plain::nearest(queries[q], rows, nullptr).first));
  }
  CHECK(grid.sieve(rows[7], search).empty());  // a query there is outside, too
}

TEST("grid_rows: rows that leave the grid wear it out, and a new grid contains them") {
  Random random(3);
  RowMatrix rows = random.rows(100, 3);
  GridRows grid(3);
  grid.assign(rows, plain::first(rows.rows()), nullptr);
  for (std::size_t i = 0; i < 100; ++i) {
    rows[i][0] += 100.0;
    grid.set(i, rows[i]);
    CHECK(grid.is_worn() == (i >= 63));
  }
  grid.assign(rows, plain::first(rows.rows()), nullptr);
  CHECK(!grid.is_worn());
  CHECK(holds(grid.sieve(rows[50], search), 50));
}

TEST("grid_rows: rows at one place and infinite distances have no grid") {
  RowMatrix rows(2);
  const double one[2] = {1.0, 2.0};
  for (int i = 0; i < 40; ++i) rows.append(one);
  GridRows grid(2);
  grid.assign(rows, plain::first(rows.rows()), nullptr);
  CHECK(grid.sieve(rows[0], search).empty());
  for (std::size_t i = 0; i < 40; ++i) rows[i][0] = 1e200 * static_cast<double>(i);
  grid.assign(rows, plain::first(rows.rows()), nullptr);
  CHECK(grid.sieve(rows[0], search).empty());
}

TEST("grid_rows: the largest differences in all features do not overflow") {
  for (const std::size_t dims : {1, 2, 3, 16, 61, 1000}) {
    RowMatrix rows(dims);
    rows.resize(40);  // half of the rows in each corner
    for (std::size_t i = 0; i < 40; ++i) std::fill_n(rows[i], dims, i % 2 == 0 ? -1.0 : 1.0);
    GridRows grid(dims);
    grid.assign(rows, plain::first(rows.rows()), nullptr);
    AlignedDoubles query(padded(dims), 0.0);
    std::fill_n(query.begin(), dims, 1.499);
    const auto found = grid.sieve(query.data(), search);
    for (std::int32_t i = 0; i < 40; ++i) CHECK(holds(found, i) == (i % 2 == 1));
  }
}

TEST("grid_rows: queries together leave the same rows as single queries, while rows change") {
  Random random(5);
  for (const std::size_t dims : {1, 7, 16, 97, 130}) {
    RowMatrix rows = random.rows(110, dims);
    GridRows grid(dims);
    grid.assign(rows, plain::first(rows.rows()), nullptr);
    RowMatrix queries = random.rows(16, dims);
    queries[3][0] = 1e9;  // outside
    GridBatch batch;
    grid.measure(queries, 0, batch);
    for (std::size_t q = 0; q < 16; ++q) {
      const auto alone = grid.sieve(queries[q], search);
      const std::vector<std::int32_t> expected(alone.begin(), alone.end());
      const GridSquares one = grid.squares(search), many = grid.squares(batch, q);
      CHECK(one.less.size() == many.less.size());
      for (std::size_t i = 0; i < one.less.size(); ++i) CHECK(one.square(i) == many.square(i));
      const auto together = grid.sieve(batch, q, search);
      // After updates the smallest square may be that of another row than the nearest.
      for (const std::int32_t row : expected) CHECK(holds(together, row));
      CHECK(expected.empty() == (q == 3));
      AlignedDoubles row = random.values(dims, -1.2, 1.2);
      row.resize(padded(dims), 0.0);
      if (q % 2 == 0) {
        const std::size_t i = expected.empty() ? 0 : static_cast<std::size_t>(expected[0]);
        for (std::size_t j = 0; j < dims; ++j) row[j] = rows[i][j] + 0.1 * row[j];
        if (q % 4 == 2) row[dims / 2] = 1e8;  // leaves the grid
        std::copy_n(row.data(), dims, rows[i]);
        grid.set(i, rows[i]);
      } else {
        rows.append(row.data());
        grid.append(row.data());
      }
      grid.update_last(batch);
    }
  }
}

TEST("grid_rows: distances of rows are within their bounds of those on the grid") {
  Random random(6);
  for (const std::size_t dims : {3, 40, 120}) {
    RowMatrix rows = random.rows(70, dims);
    rows[5][0] = 1e9;
    const RowMatrix queries = random.rows(1, dims);
    GridRows grid(dims);
    grid.assign(rows, plain::first(rows.rows()), nullptr);
    grid.sieve(queries[0], search);
    const GridSquares squares = grid.squares(search);
    for (std::size_t i = 0; i < 70; ++i) {
      if (i == 5) continue;
      const double distance = std::sqrt(plain::square(queries[0], rows[i], nullptr, dims));
      CHECK(std::abs(distance - squares.step * std::sqrt(squares.square(i))) <=
            squares.step * (squares.off + squares.row_off + 1e-3));
    }
    CHECK(squares.square(5) == GridSquares::kHidden);
    CHECK(squares.step > 0.0 && squares.off > 0.0 && squares.row_off > 0.0);
    grid.sieve(rows[5], search);
    CHECK(grid.squares(search).less.empty());
  }
}

TEST("grid_rows: the two nearest are left, also while rows leave the grid and return") {
  Random random(9);
  const LevelGuard guard;
  for (const char* const level : kLevels) {
    if (!use_kernels(level)) continue;
    for (const std::size_t dims : {3, 40, 200}) {
      RowMatrix rows = random.rows(70, dims);
      const RowMatrix queries = random.rows(40, dims);
      GridRows grid(dims);
      grid.assign(rows, plain::first(rows.rows()), nullptr);
      for (std::size_t q = 0; q < queries.rows(); ++q) {
        const std::size_t moved = random.below(rows.rows());
        for (std::size_t j = 0; j < dims; ++j) rows[moved][j] *= q % 2 == 0 ? 100.0 : 0.01;
        grid.set(moved, rows[moved]);
        const auto found = grid.sieve(queries[q], search, 2);
        const std::int32_t first = plain::nearest(queries[q], rows, nullptr).first;
        RowMatrix others = rows;
        std::fill_n(others[static_cast<std::size_t>(first)], dims, 1e9);
        const std::int32_t second = plain::nearest(queries[q], others, nullptr).first;
        CHECK(found.size() < 40);
        CHECK(std::count(found.begin(), found.end(), first) == 1);
        CHECK(std::count(found.begin(), found.end(), second) == 1);
      }
    }
  }
}
