// The nearest node equals that of a plain search, to the bit.
#include "nodes/nearest_node.hpp"

#include <cmath>

#include "levels.hpp"

using namespace phida;

namespace {

// From 48 features on candidates are compared twice; from 96 on blocks are ruled out early.
constexpr std::size_t kDims[] = {1, 3, 8, 17, 47, 48, 95, 96, 97, 130, 600};

AlignedDoubles padded_row(const AlignedDoubles& values) {
  AlignedDoubles row = values;
  row.resize(padded(values.size()), 0.0);
  return row;
}

// Factors from 1e-3 to 1e3.
AlignedDoubles random_scaling(Random& random, std::size_t dims) {
  AlignedDoubles scaling = random.values(dims, -3.0, 3.0);
  for (double& s : scaling) s = std::pow(10.0, s);
  return padded_row(scaling);
}

void check_query(NearestNode& search, const double* query, const RowMatrix& rows,
                 const double* scaling) {
  const Nearest got = search.find(query, rows);
  const auto [row, square] = plain::nearest(query, rows, scaling);
  CHECK(got.node == row && plain::same_bits(got.square, square));
}

// Queries near the rows, on them, and elsewhere.
void check_rows(Random& random, const RowMatrix& rows, const double* scaling) {
  NearestNode search(rows.cols());
  search.assign(rows, scaling);
  for (int q = 0; q < 12; ++q) {
    AlignedDoubles query = padded_row(random.values(rows.cols()));
    const double* const row = rows[random.below(rows.rows())];
    if (q % 3 > 0)
      for (std::size_t j = 0; j < rows.cols(); ++j)
        query[j] = row[j] + (q % 3 == 1 ? 1e-9 * query[j] : 0.0);
    check_query(search, query.data(), rows, scaling);
  }
}

}  // namespace

TEST("nearest_node: equals a plain search to the bit, with and without scaling") {
  Random random(1);
  for (const std::size_t dims : kDims)
    for (const std::size_t n : {1, 2, 7, 8, 9, 64, 100}) {
      const RowMatrix rows = random.rows(n, dims);
      check_rows(random, rows, nullptr);
      check_rows(random, rows, random_scaling(random, dims).data());
    }
}

TEST("nearest_node: equal distances go to the lower index") {
  Random random(2);
  for (const std::size_t dims : kDims)
    for (int round = 0; round < 10; ++round) {
      RowMatrix rows = random.grid(100, dims, 2);
      for (std::size_t i = 10; i < 20; ++i) std::copy_n(rows[0], dims, rows[i]);
      check_rows(random, rows, nullptr);
      NearestNode search(dims);
      search.assign(rows, nullptr);
      const RowMatrix queries = random.grid(10, dims, 2);
      for (std::size_t q = 0; q < 10; ++q) check_query(search, queries[q], rows, nullptr);
      for (std::size_t i = 10; i < 20; ++i) check_query(search, rows[i], rows, nullptr);
    }
}

TEST("nearest_node: rows equal as floats are compared as doubles") {
  Random random(3);
  for (const std::size_t dims : kDims) {
    const RowMatrix rows = plain::shifted(plain::scaled(random.rows(60, dims), 1e-4), 1e6);
    check_rows(random, rows, nullptr);
    check_rows(random, rows, random_scaling(random, dims).data());
  }
}

TEST("nearest_node: huge and tiny values are compared exactly") {
  Random random(4);
  for (const std::size_t dims : kDims)
    for (const double factor : {1e-200, 1e-150, 1e-45, 1e-30, 1e30, 1e45, 1e139}) {
      const RowMatrix rows = plain::scaled(random.rows(40, dims), factor);
      check_rows(random, rows, nullptr);
      NearestNode search(dims);
      search.assign(rows, nullptr);
      AlignedDoubles query = padded_row(random.values(dims, -factor, factor));
      check_query(search, query.data(), rows, nullptr);
    }
}

TEST("nearest_node: if all distances are infinite, returns the first row") {
  Random random(5);
  for (const std::size_t dims : kDims) {
    RowMatrix rows = random.rows(30, dims);
    NearestNode search(dims);
    AlignedDoubles query(padded(dims), 0.0);
    query[0] = 1e200;
    search.assign(rows, nullptr);
    Nearest got = search.find(query.data(), rows);
    CHECK(got.node == 0 && std::isinf(got.square));
    rows[17][0] = 1e200;  // the only row at a finite distance
    search.set(17, rows[17]);
    got = search.find(query.data(), rows);
    CHECK(got.node == 17 && std::isfinite(got.square));
  }
}

TEST("nearest_node: a feature beyond the float range is handled for few and many rows") {
  Random random(7);
  for (const std::size_t dims : kDims)
    for (const std::size_t n : {2, 5, 20, 60})
      for (const double far : {1e39, -1e60, 1e139}) {
        RowMatrix rows = random.rows(n, dims);
        for (std::size_t i = n / 2; i < n; ++i) rows[i][0] = far * (1.0 + rows[i][0]);
        check_rows(random, rows, nullptr);
        check_rows(random, rows, random_scaling(random, dims).data());
      }
}

TEST("nearest_node: stays exact while rows are set and appended") {
  Random random(6);
  for (const std::size_t dims : {3, 96, 130})
    for (const bool scaled : {false, true}) {
      const AlignedDoubles factors = random_scaling(random, dims);
      const double* const scaling = scaled ? factors.data() : nullptr;
      RowMatrix rows(dims);
      NearestNode search(dims);
      search.assign(rows, scaling);
      for (int step = 0; step < 300; ++step) {
        const AlignedDoubles row = padded_row(random.values(dims));
        if (rows.rows() == 0 || random.below(2)) {
          rows.append(row.data());
          search.append(row.data());
        } else {
          const std::size_t i = random.below(rows.rows());
          std::copy_n(row.data(), dims, rows[i]);
          search.set(i, rows[i]);
        }
        check_query(search, padded_row(random.values(dims)).data(), rows, scaling);
      }
      rows.resize(5);
      search.assign(rows, nullptr);  // fewer rows, another metric
      check_query(search, padded_row(random.values(dims)).data(), rows, nullptr);
    }
}

TEST("nearest_node: narrow groups, outlying rows and queries are exact beyond one block") {
  Random random(8);
  for (const std::size_t dims : kDims) {
    RowMatrix rows = random.rows(700, dims);
    for (std::size_t i = 10; i < 700; ++i)  // ten places, with one group too narrow for any grid
      for (std::size_t j = 0; j < dims; ++j)
        rows[i][j] = rows[i % 10][j] + (i % 10 == 0 ? 1e-7 : 1e-2) * rows[i][j];
    check_rows(random, rows, nullptr);
    for (const std::size_t i : {5, 77, 699}) rows[i][dims / 2] *= 1e7;
    check_rows(random, rows, nullptr);
    check_rows(random, rows, random_scaling(random, dims).data());
    NearestNode search(dims);
    search.assign(rows, nullptr);
    for (int step = 0; step < 200; ++step) {  // the rows move away until the grid is rebuilt
      const std::size_t i = random.below(700);
      rows[i][0] += 0.5 * step;
      search.set(i, rows[i]);
      if (step % 5 == 0) check_query(search, rows[random.below(700)], rows, nullptr);
    }
  }
}

TEST("nearest_node: queued queries equal a plain search while rows change, at every level") {
  const LevelGuard guard;
  for (const char* const level : kLevels) {
    if (!use_kernels(level)) continue;
    Random random(9);
    for (const std::size_t dims : kDims)
      for (const std::size_t n : {1, 15, 120}) {
        RowMatrix rows = random.rows(n, dims);
        NearestNode search(dims);
        search.assign(rows, nullptr);
        for (const std::size_t queued : {2, 9, 16, 16, 16, 16}) {
          const AlignedDoubles queries = random.values(queued * dims, -1.3, 1.3);
          search.queue(queries.data(), queued);
          for (std::size_t q = 0; q < queued; ++q) {
            const double* const query = queries.data() + q * dims;
            const Nearest got = search.find_head(rows);
            const auto [node, square] = plain::nearest(query, rows, nullptr);
            CHECK(got.node == node && plain::same_bits(got.square, square));
            const GridSquares squares = search.squares_of_head();
            if (!squares.less.empty() && squares.square(node) != GridSquares::kHidden)
              CHECK(std::abs(squares.step * std::sqrt(squares.square(node)) - std::sqrt(square)) <=
                    squares.step * (squares.off + squares.row_off + 1e-3));
            if (random.below(3) == 0) {  // a row that may be next to the next query
              const std::size_t next = std::min(q + 1, queued - 1);
              rows.append(queries.data() + next * dims);
              rows[rows.rows() - 1][0] += 1e-3;
              search.append(rows[rows.rows() - 1]);
            } else {
              double* const row = rows[node];
              for (std::size_t j = 0; j < dims; ++j) row[j] += 0.5 * (query[j] - row[j]);
              if (random.below(20) == 0) row[dims - 1] = 1e3;  // outside of the grid
              search.set(node, row);
            }
            search.pop();
            if (random.below(12) == 0) search.assign(rows, nullptr);
          }
        }
      }
  }
}
