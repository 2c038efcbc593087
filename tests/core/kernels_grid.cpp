// Kernels over rows on a grid of whole numbers equal plain integer arithmetic, at every level.
#include <algorithm>
#include <limits>

#include "levels.hpp"

using namespace phida;

namespace {

constexpr std::int32_t kHidden = std::numeric_limits<std::int32_t>::max();

using Places = std::vector<std::int16_t>;  // of one row, padded to pairs

// Rows and points on a grid whose squared distances are below 2^31.
struct Grid {
  Grid(Random& random, std::size_t n_rows, std::size_t dims, bool extreme)
      : pairs((dims + 1) / 2), n_blocks((n_rows + 15) / 16) {
    const double most =
        std::min(16383.0, std::floor(std::sqrt((0x1p31 - 2.0) / static_cast<double>(dims)) / 2.0));
    const auto place = [&] {
      return static_cast<std::int16_t>(extreme ? (random.below(2) ? most : -most)
                                               : std::floor(random.uniform(-most, most + 1.0)));
    };
    const auto row = [&] {
      Places places(2 * pairs, 0);
      std::generate_n(places.begin(), dims, place);
      return places;
    };
    blocks.resize(n_blocks * pairs * 32, 0);
    norms.resize(n_blocks * 16, kHidden);
    for (std::size_t i = 0; i < n_rows; ++i) {
      rows.push_back(row());
      if (random.below(10) == 0) continue;  // hidden
      norms[i] = square(rows[i], Places(2 * pairs, 0));
      for (std::size_t j = 0; j < 2 * pairs; ++j)
        blocks[(i / 16 * pairs + j / 2) * 32 + i % 16 * 2 + j % 2] = rows[i][j];
    }
    for (int q = 0; q < 16; ++q) points.push_back(row());
  }

  static std::int32_t square(const Places& a, const Places& b) {
    std::int64_t sum = 0;
    for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return static_cast<std::int32_t>(sum);
  }
  std::int32_t norm(std::size_t point) const { return square(points[point], Places(2 * pairs, 0)); }
  std::int32_t less(std::size_t point, std::size_t row) const {
    return norms[row] == kHidden ? kHidden : square(points[point], rows[row]) - norm(point);
  }
  // Points side by side, times -2.
  Places negated(std::size_t n_points) const {
    Places out(pairs * n_points * 2);
    for (std::size_t q = 0; q < n_points; ++q)
      for (std::size_t j = 0; j < 2 * pairs; ++j)
        out[(j / 2 * n_points + q) * 2 + j % 2] = static_cast<std::int16_t>(-2 * points[q][j]);
    return out;
  }
  // The rows within reach of the nearest.
  std::vector<std::int32_t> within(std::size_t point, double reach) const {
    std::int32_t least = kHidden;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (norms[i] != kHidden) least = std::min(least, square(points[point], rows[i]));
    const double most = std::sqrt(least) + reach;
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (norms[i] != kHidden && square(points[point], rows[i]) <= most * most)
        found.push_back(static_cast<std::int32_t>(i));
    return found;
  }

  std::size_t pairs, n_blocks;
  std::vector<Places> rows, points;
  Places blocks;
  std::vector<std::int32_t> norms;
};

template <class Visit>
void for_each_grid(Visit visit) {
  Random random(1);
  for (const std::size_t dims : {1, 2, 7, 16, 95, 96, 200, 769})
    for (const std::size_t n : {1, 16, 17, 33, 80, 200})
      for (const bool extreme : {false, true}) visit(Grid(random, n, dims, extreme));
}

}  // namespace

TEST("kernels_grid: squares by products equal sums of squared differences") {
  for_each_level([](const Kernels& k) {
    for_each_grid([&](const Grid& grid) {
      const std::size_t stride = grid.n_blocks * 16 + 16;
      for (const std::size_t n_points : {1, 8, 16}) {
        std::vector<std::int32_t> squares(n_points * stride, 77);
        std::int32_t least[16];
        k.grid_squares(grid.negated(n_points).data(), n_points, n_points, grid.blocks.data(),
                       grid.norms.data(), grid.n_blocks, grid.pairs, squares.data(), stride, least);
        for (std::size_t q = 0; q < n_points; ++q) {
          std::int32_t smallest = kHidden;
          for (std::size_t i = 0; i < grid.rows.size(); ++i) {
            CHECK(squares[q * stride + i] == grid.less(q, i));
            smallest = std::min(smallest, grid.less(q, i));
          }
          CHECK(least[q] == smallest);
          CHECK(squares[q * stride + grid.n_blocks * 16] == 77);  // nothing is written beyond
        }
      }
    });
  });
}

TEST("kernels_grid: both sieves find the rows within reach of the nearest, without hidden rows") {
  for_each_level([](const Kernels& k) {
    for_each_grid([&](const Grid& grid) {
      const std::size_t n = grid.n_blocks * 16;
      std::vector<std::int32_t> less(n), squares(n), found(n);
      for (const double reach : {0.001, 3.7, 500.0})
        for (std::size_t q = 0; q < 3; ++q) {
          for (std::size_t i = 0; i < n; ++i)
            less[i] = i < grid.rows.size() ? grid.less(q, i) : kHidden;
          const std::vector<std::int32_t> expected = grid.within(q, reach);
          found.resize(n);
          found.resize(k.squares_within(less.data(), grid.n_blocks,
                                        *std::min_element(less.begin(), less.end()), grid.norm(q),
                                        reach, found.data()));
          CHECK(found == expected);
          found.resize(n);
          found.resize(k.sieve_grid(grid.points[q].data(), grid.blocks.data(), grid.norms.data(),
                                    grid.n_blocks, grid.pairs, 1, reach, squares.data(),
                                    found.data()));
          CHECK(found == expected);
        }
    });
  });
}

TEST("kernels_grid: places are rounded to whole numbers, with their norm and squared distance") {
  Random random(2);
  for_each_level([&](const Kernels& k) {
    for (const std::size_t n : {8, 16, 104}) {
      const AlignedDoubles row = random.values(n, -9.0, 9.0), centre = random.values(n);
      const AlignedDoubles factor = random.values(n, 1.0, 100.0);
      std::vector<std::int16_t> places(n);
      std::int32_t norm = 0;
      const double square =
          k.grid_places(row.data(), centre.data(), factor.data(), n, 1001.0, places.data(), &norm);
      double off = 0.0;
      std::int32_t sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const double at = (row[j] - centre[j]) * factor[j], place = std::nearbyint(at);
        CHECK(places[j] == static_cast<std::int16_t>(place));
        off += (at - place) * (at - place);
        sum += places[j] * places[j];
      }
      CHECK(norm == sum);
      CHECK_CLOSE(square, off, 1e-12);
      CHECK(std::isinf(
          k.grid_places(row.data(), centre.data(), factor.data(), n, 3.0, places.data(), &norm)));
    }
  });
}
