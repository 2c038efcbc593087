#include "numeric/rounded_rows.hpp"

#include <cmath>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

TEST("rounded_rows: the error bounds the distance of each row to its rounded form") {
  Random random(1);
  for (const std::size_t dims : {1, 7, 8, 16, 30}) {
    const RowMatrix rows = random.rows(20, dims);
    RoundedRows rounded(dims);
    rounded.assign(rows, plain::first(20));
    CHECK(rounded.rows() == 20 && rounded.stride() == (dims + 15) / 16 * 16);
    double furthest = 0.0;
    for (std::size_t i = 0; i < 20; ++i) {
      const float* const row = rounded.data() + i * rounded.stride();
      double sum = 0.0;
      for (std::size_t j = 0; j < dims; ++j) sum += (rows[i][j] - row[j]) * (rows[i][j] - row[j]);
      for (std::size_t j = dims; j < rounded.stride(); ++j) CHECK(row[j] == 0.0f);
      furthest = std::max(furthest, std::sqrt(sum));
    }
    CHECK(furthest > 0.0 && rounded.error() >= furthest && rounded.error() < 1.1 * furthest);
  }
}

TEST("rounded_rows: the error drops old rows only when all are assigned again") {
  RoundedRows rounded(2);
  const double third[2] = {1.0 / 3.0, 0.0}, whole[2] = {1.0, 2.0};
  rounded.append(third);
  rounded.set(0, whole);
  CHECK(rounded.error() > 0.0);
  RowMatrix rows(2);
  rows.append(whole);
  rounded.assign(rows, plain::first(1));
  CHECK(rounded.error() == 0.0 && rounded.rows() == 1);
}

TEST("rounded_rows: beyond the float range the error is infinite") {
  RoundedRows rounded(1);
  const double huge = 1e300;
  rounded.append(&huge);
  CHECK(std::isinf(rounded.error()));
}
