#include "numeric/row_matrix.hpp"

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

bool padding_is_zero(const RowMatrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = m.cols(); j < m.stride(); ++j)
      if (m[i][j] != 0.0) return false;
  return true;
}

}  // namespace

TEST("row_matrix: rows are padded with zeros to eights and start on cache lines") {
  Random random(1);
  for (std::size_t dims = 1; dims <= 17; ++dims) {
    RowMatrix m = random.rows(5, dims);
    CHECK(m.stride() == padded(dims) && m.stride() % 8 == 0 && m.stride() < dims + 8);
    for (std::size_t i = 0; i < 5; ++i) CHECK(reinterpret_cast<std::uintptr_t>(m[i]) % 64 == 0);
    CHECK(padding_is_zero(m));
  }
}

TEST("row_matrix: append copies the row") {
  RowMatrix m(3);
  const double a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
  m.append(a);
  m.append(b);
  CHECK(m.rows() == 2 && m[0][2] == 3 && m[1][0] == 4);
}

TEST("row_matrix: resize adds zero rows, also over former rows") {
  Random random(2);
  RowMatrix m = random.rows(4, 3);
  m.resize(1);
  m.resize(4);
  for (std::size_t i = 1; i < 4; ++i)
    for (std::size_t j = 0; j < m.stride(); ++j) CHECK(m[i][j] == 0.0);
}

TEST("row_matrix: keep retains the named rows in order") {
  Random random(3);
  const RowMatrix before = random.rows(9, 5);
  for (int program = 0; program < 50; ++program) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < before.rows(); ++i)
      if (random.below(2)) kept.push_back(i);
    RowMatrix after = before;
    after.keep(kept);
    CHECK(after.rows() == kept.size());
    for (std::size_t i = 0; i < kept.size(); ++i)
      CHECK(std::equal(after[i], after[i] + after.stride(), before[kept[i]]));
  }
}
