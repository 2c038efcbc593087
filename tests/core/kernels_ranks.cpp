#include <cmath>
#include <limits>

#include "levels.hpp"
#include "metric/rank_around.hpp"

using namespace phida;

TEST("kernels: rank_columns counts around a pivot and keeps two neighbours on each side") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (int round = 0; round < 500; ++round) {
      const std::size_t n = random.below(20);
      const RowMatrix rows = round % 2 ? random.grid(20, 8, 3) : random.rows(20, 8);
      Random choice(round);
      std::vector<std::int32_t> members = plain::first(20);
      for (std::size_t i = 0; i < n; ++i) std::swap(members[i], members[i + choice.below(20 - i)]);
      const bool listed = random.below(2);
      const RowMatrix pivots = round % 2 ? random.grid(1, 8, 3) : random.rows(1, 8);
      RankAround got;
      clear(got);
      const std::size_t half = random.below(n + 1);  // in two calls
      if (listed) {
        k.rank_columns(rows[0], rows.stride(), members.data(), half, pivots[0], &got);
        k.rank_columns(rows[0], rows.stride(), members.data() + half, n - half, pivots[0], &got);
      } else {
        k.rank_columns(rows[0], rows.stride(), nullptr, n, pivots[0], &got);
      }
      for (std::size_t lane = 0; lane < 8; ++lane) {
        std::vector<double> lower{-INFINITY, -INFINITY}, higher{INFINITY, INFINITY};
        for (std::size_t i = 0; i < n; ++i) {
          const double value = rows[listed ? members[i] : i][lane];
          if (value < pivots[0][lane]) lower.push_back(value);
          if (value > pivots[0][lane]) higher.push_back(value);
        }
        std::sort(lower.rbegin(), lower.rend());
        std::sort(higher.begin(), higher.end());
        CHECK(got.below[lane] == static_cast<double>(lower.size() - 2));
        CHECK(got.above[lane] == static_cast<double>(higher.size() - 2));
        for (int i = 0; i < 2; ++i)
          CHECK(got.largest_below[i][lane] == lower[i] && got.smallest_above[i][lane] == higher[i]);
      }
    }
  });
}

TEST("kernels: rank_columns ignores NaN") {
  for_each_level([](const Kernels& k) {
    const AlignedDoubles row(8, std::numeric_limits<double>::quiet_NaN()), pivot(8, 0.0);
    RankAround got;
    clear(got);
    k.rank_columns(row.data(), 8, nullptr, 1, pivot.data(), &got);
    for (std::size_t lane = 0; lane < 8; ++lane) {
      CHECK(got.below[lane] == 0.0 && got.above[lane] == 0.0);
      CHECK(got.largest_below[0][lane] == -INFINITY && got.smallest_above[0][lane] == INFINITY);
    }
  });
}

TEST("kernels: count_outside updates the counts for one moved row") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    for (std::size_t n = 8; n <= 40; n += 8) {
      const AlignedDoubles edges = random.values(4 * n), before = random.values(n),
                           after = random.values(n);
      AlignedDoubles counts(4 * n, 5.0), added(4 * n, 5.0);
      k.count_outside(before.data(), after.data(), edges.data(), counts.data(), n);
      k.count_outside(nullptr, after.data(), edges.data(), added.data(), n);
      for (std::size_t e = 0; e < 4; ++e)
        for (std::size_t j = 0; j < n; ++j) {
          const double edge = edges[e * n + j];
          const auto outside = [&](double x) { return e % 2 ? x > edge : x < edge; };
          CHECK(added[e * n + j] == 5.0 + outside(after[j]));
          CHECK(counts[e * n + j] == 5.0 + outside(after[j]) - outside(before[j]));
        }
    }
  });
}

TEST("kernels: count_columns counts the members outside each edge") {
  for_each_level([](const Kernels& k) {
    Random random(5);
    for (int round = 0; round < 200; ++round) {
      const std::size_t n = random.below(30);
      const RowMatrix rows = round % 2 ? random.grid(30, 16, 3) : random.rows(30, 16);
      const RowMatrix edges = round % 2 ? random.grid(4, 16, 3) : random.rows(4, 16);
      std::vector<std::int32_t> members = plain::first(n);
      std::reverse(members.begin(), members.end());
      RowMatrix got = random.rows(4, 16);
      k.count_columns(rows[0] + 8, rows.stride(), members.data(), n, edges[0] + 8, edges.stride(),
                      got[0] + 8);
      for (std::size_t e = 0; e < 4; ++e)
        for (std::size_t j = 8; j < 16; ++j) {
          double expected = 0.0;
          for (std::size_t i = 0; i < n; ++i)
            expected += e % 2 == 0 ? rows[i][j] < edges[e][j] : rows[i][j] > edges[e][j];
          CHECK(got[e][j] == expected);
        }
    }
  });
}
