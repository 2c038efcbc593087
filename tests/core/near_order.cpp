#include "topology/near_order.hpp"

#include <algorithm>
#include <cmath>

#include "levels.hpp"

using namespace phida;

namespace {

// Squares that are far apart, equal, or different only in the last bits, where the sort keys are equal.
std::vector<NearRow> some_rows(Random& random, std::size_t n, int kind) {
  std::vector<NearRow> rows;
  for (std::size_t i = 0; i < n; ++i) {
    const double square = kind == 0   ? std::exp(random.uniform(-300.0, 300.0))
                          : kind == 1 ? static_cast<double>(random.below(4))
                                      : 1.0 + 1e-12 * random.uniform();
    rows.push_back({square, static_cast<std::int32_t>(i)});
  }
  for (std::size_t i = n; i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  return rows;
}

bool same(const NearRow& a, const NearRow& b) { return a.square == b.square && a.row == b.row; }

}  // namespace

TEST("near_order: few and many rows are sorted by square, then by row") {
  const LevelGuard guard;
  for (const char* level : kLevels) {
    if (!use_kernels(level)) continue;
    Random random(1);
    NearOrder order;
    for (const std::size_t n : {0, 1, 2, 15, 16, 17, 100, 192, 193, 1000})
      for (const int kind : {0, 1, 2}) {
        std::vector<NearRow> rows = some_rows(random, n, kind), expected = rows;
        std::sort(expected.begin(), expected.end());
        if (n <= 192) {
          const std::span<const NearRow> sorted = order.sorted(rows);
          CHECK(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end(), same));
        }
        order.sort(rows);
        CHECK(std::equal(rows.begin(), rows.end(), expected.begin(), same));
      }
  }
}

TEST("near_order: the nearest equal those of a full sort, without the row itself") {
  Random random(2);
  NearOrder order;
  for (const std::size_t n : {2, 30, 300, 2000})
    for (const int kind : {0, 1, 2}) {
      const std::vector<NearRow> rows = some_rows(random, n, kind);
      AlignedDoubles squares(n);
      for (const NearRow& row : rows) squares[row.row] = row.square;
      const std::size_t self = random.below(n);
      squares[self] = 0.0;
      std::vector<NearRow> expected, got(std::min<std::size_t>(n - 1, 64));
      for (std::size_t i = 0; i < n; ++i)
        if (i != self) expected.push_back({squares[i], static_cast<std::int32_t>(i)});
      std::sort(expected.begin(), expected.end());
      order.choose(squares, self, got);
      CHECK(std::equal(got.begin(), got.end(), expected.begin(), same));
    }
}

TEST("near_order: a limit leaves as many values as wanted, from any guess") {
  Random random(3);
  std::vector<double> values(500);
  for (const double size : {1e-200, 1.0, 1e200}) {
    for (double& value : values) value = size * random.uniform(1.0, 1.5);
    for (const double guess : {1e-220, 1.0, 1e220}) {
      const double limit = limit_for(values, 60, 80, guess);
      const auto within =
          std::count_if(values.begin(), values.end(), [&](double value) { return value <= limit; });
      CHECK(within >= 60 && within <= 80);
    }
  }
}

TEST("near_order: a limit between equal values leaves all of them") {
  const std::vector<double> values(100, 2.0);
  CHECK(limit_for(values, 60, 80, 1.0) >= 2.0);
  CHECK(limit_for(values, 101, 120, 1.0) == INFINITY);
}
