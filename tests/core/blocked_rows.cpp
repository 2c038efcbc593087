#include "numeric/blocked_rows.hpp"

#include <cmath>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

double at(const BlockedRows& b, std::size_t row, std::size_t j) {
  return b.data()[row / 8 * b.dims() * 8 + j * 8 + row % 8];
}

// Every row equals that in `rows`, and every lane after them is infinite.
bool mirrors(const BlockedRows& b, const RowMatrix& rows) {
  if (b.rows() != rows.rows()) return false;
  for (std::size_t i = 0; i < b.blocks() * 8; ++i)
    for (std::size_t j = 0; j < b.dims(); ++j)
      if (at(b, i, j) != (i < rows.rows() ? rows[i][j] : INFINITY)) return false;
  return true;
}

}  // namespace

TEST("blocked_rows: append stores rows lane by lane and pads with infinity") {
  Random random(1);
  for (std::size_t dims : {1, 3, 8, 11}) {
    const RowMatrix rows = random.rows(20, dims);
    BlockedRows b(dims);
    RowMatrix so_far(dims);
    for (std::size_t i = 0; i < 20; ++i) {
      b.append(rows[i]);
      so_far.append(rows[i]);
      CHECK(mirrors(b, so_far));
      CHECK(b.blocks() == i / 8 + 1);
    }
  }
}

TEST("blocked_rows: set replaces only one row") {
  Random random(2);
  RowMatrix rows = random.rows(13, 3);
  BlockedRows b(3);
  b.assign(rows, plain::first(13));
  const double row[3] = {7, 8, 9};
  b.set(9, row);
  std::copy_n(row, 3, rows[9]);
  CHECK(mirrors(b, rows));
}

TEST("blocked_rows: removed rows become infinite") {
  Random random(3);
  const RowMatrix rows = random.rows(40, 2);
  BlockedRows b(2);
  for (int program = 0; program < 200; ++program) {
    const std::size_t n = random.below(41);
    if (random.below(2)) {
      b.assign(rows, plain::first(n));
    } else {
      b.resize(std::min(n, b.rows()));
    }
    RowMatrix expected = rows;
    expected.resize(b.rows());
    CHECK(mirrors(b, expected));
  }
}

TEST("blocked_rows: growing by resize adds infinite rows") {
  BlockedRows b(2);
  b.resize(3);
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::isinf(at(b, i, 0)) && std::isinf(at(b, i, 1)));
}

TEST("blocked_rows: assign copies the named rows in the given order") {
  Random random(4);
  const RowMatrix rows = random.rows(10, 3);
  const std::vector<std::int32_t> members{7, 2, 9};
  BlockedRows b(3);
  b.assign(rows, members);
  for (std::size_t i = 0; i < 3; ++i) CHECK(at(b, i, 1) == rows[members[i]][1]);
}
