// Close pairs: none is missed, their squares are bounded from below, and few others are found.
#include "search/close_pairs.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "check.hpp"
#include "levels.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

struct Found {
  std::size_t within = 0;  // pairs whose square is at most the sum of their limits
  std::size_t reported = 0;
  double least_share = 1.0;  // minimum of bound / square over reported pairs
};

// Checks that every pair within the limits is reported once, with a bound of its square.
Found check_pairs(const RowMatrix& rows, const double* scaling, std::span<const double> limits) {
  ClosePairs close;
  close.assign(rows, scaling);
  std::map<std::pair<std::int32_t, std::int32_t>, double> bounds;
  Found found;
  close.visit(limits, [&](const ClosePairs::Pair& pair) {
    CHECK(pair.a < pair.b && bounds.emplace(std::pair{pair.a, pair.b}, pair.least).second);
    ++found.reported;
  });
  const auto n = static_cast<std::int32_t>(rows.rows());
  for (std::int32_t a = 0; a < n; ++a)
    for (std::int32_t b = a + 1; b < n; ++b) {
      const double square = plain::square(rows[static_cast<std::size_t>(a)],
                                          rows[static_cast<std::size_t>(b)], scaling, rows.cols());
      const auto at = bounds.find({a, b});
      if (square <= limits[static_cast<std::size_t>(a)] + limits[static_cast<std::size_t>(b)]) {
        ++found.within;
        CHECK(at != bounds.end());
      }
      if (at == bounds.end()) continue;
      CHECK(at->second <= square);
      if (square > 0.0) found.least_share = std::min(found.least_share, at->second / square);
    }
  return found;
}

// Limits that about a tenth of the pairs of such rows are within.
AlignedDoubles some_limits(Random& random, const RowMatrix& rows, const double* scaling) {
  std::vector<double> squares;
  for (std::size_t i = 1; i < rows.rows(); ++i)
    squares.push_back(plain::square(rows[i - 1], rows[i], scaling, rows.cols()));
  AlignedDoubles limits(rows.rows());
  for (double& limit : limits) limit = plain::quantile(squares, 0.1) * random.uniform(0.3, 0.7);
  return limits;
}

}  // namespace

TEST("close_pairs: all pairs within their limits and few others, on every instruction set") {
  LevelGuard guard;
  for (const char* const level : kLevels) {
    if (!use_kernels(level)) continue;
    Random random(1);
    for (const std::size_t dims : {1, 2, 5, 16, 127, 128, 129, 700})
      for (const std::size_t n : {2, 8, 17, 90}) {
        const RowMatrix rows = random.rows(n, dims);
        const AlignedDoubles scaling = random.values(rows.stride(), 0.1, 10.0);
        for (const double* const scales : {static_cast<const double*>(nullptr), scaling.data()}) {
          const AlignedDoubles limits = some_limits(random, rows, scales);
          const Found found = check_pairs(rows, scales, limits);
          CHECK(found.reported <= found.within + 1 + found.within / 100);
          CHECK(dims < 16 || found.least_share > 0.999);
        }
      }
  }
}

TEST("close_pairs: a limit of minus infinity hides a row, infinity finds all its pairs") {
  Random random(2);
  const RowMatrix rows = random.rows(40, 3);
  AlignedDoubles limits(40, 0.0);
  limits[5] = -INFINITY;
  limits[9] = INFINITY;
  ClosePairs close;
  close.assign(rows, nullptr);
  std::size_t reported = 0;
  close.visit(limits, [&](const ClosePairs::Pair& pair) {
    CHECK(pair.a != 5 && pair.b != 5);
    CHECK(pair.a == 9 || pair.b == 9);
    ++reported;
  });
  CHECK(reported == 38);
}

TEST("close_pairs: the pairs of eight rows are those of all rows") {
  Random random(3);
  const RowMatrix rows = random.rows(50, 4);
  const AlignedDoubles limits = some_limits(random, rows, nullptr);
  ClosePairs close;
  close.assign(rows, nullptr);
  std::size_t both = 0, once = 0;
  close.visit(limits, [&](const ClosePairs::Pair&) { ++once; });
  for (std::size_t eight = 0; eight < 7; ++eight)
    for (const ClosePairs::Pair& pair : close.of_eight(eight, limits)) {
      CHECK(static_cast<std::size_t>(pair.a) / 8 == eight);
      both += pair.a != pair.b;
    }
  CHECK(once > 0 && both == 2 * once);
}

TEST("close_pairs: wild rows, far rows, equal rows and extreme scales miss no pair") {
  Random random(4);
  for (const double factor : {1e-300, 1e-160, 1e-40, 1.0, 1e40, 1e140}) {
    const RowMatrix rows = plain::scaled(random.rows(40, 6), factor);
    const AlignedDoubles limits = some_limits(random, rows, nullptr);
    check_pairs(rows, nullptr, limits);
    for (const double wild : {1e6, 1e13, 1e100}) {
      RowMatrix with = rows;
      with[7][2] *= wild;
      with[20][3] *= -wild;
      check_pairs(with, nullptr, limits);
    }
  }
  for (const double away : {1e3, 1e9, 1e15}) {
    const RowMatrix rows = plain::shifted(random.rows(40, 6), away);
    check_pairs(rows, nullptr, some_limits(random, rows, nullptr));
  }
  const RowMatrix equal = random.grid(40, 2, 1), places = random.grid(40, 2, 3);
  CHECK(check_pairs(equal, nullptr, AlignedDoubles(40, 0.0)).reported == 40 * 39 / 2);
  const Found at_places = check_pairs(places, nullptr, AlignedDoubles(40, 0.0));
  CHECK(at_places.reported >= at_places.within && at_places.within > 0);
}

TEST("close_pairs: a far row does not coarsen the bounds of the others") {
  Random random(5);
  RowMatrix rows = random.rows(60, 20);
  rows[3][0] = 1e12;
  const AlignedDoubles limits = some_limits(random, rows, nullptr);
  const Found found = check_pairs(rows, nullptr, limits);
  CHECK(found.least_share > 0.999 && found.reported <= found.within + 1);
}

TEST("close_pairs: a row that moved is found at its new place") {
  Random random(6);
  RowMatrix rows = random.rows(30, 3);
  ClosePairs close;
  close.assign(rows, nullptr);
  std::copy_n(rows[4], 3, rows[25]);
  close.set(25, rows[25]);
  bool found = false;
  close.visit(AlignedDoubles(30, 1e-9), [&](const ClosePairs::Pair& pair) {
    found = found || (pair.a == 4 && pair.b == 25 && pair.least <= 0.0);
  });
  CHECK(found);
}
