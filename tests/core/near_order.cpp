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
          const std::span<const std::int32_t> places = order.of(rows);
          CHECK(places.size() == n);
          for (std::size_t i = 0; i < n; ++i) CHECK(same(rows[places[i]], expected[i]));
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
