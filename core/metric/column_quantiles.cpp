#include "metric/column_quantiles.hpp"

#include <algorithm>
#include <cmath>

#include "metric/rank_around.hpp"

namespace phida {
namespace {

// How often to count around a better pivot before selecting.
constexpr int kTries = 4;

}  // namespace

void ColumnQuantiles::update(const RowMatrix& rows, std::span<const std::int32_t> members,
                             std::size_t unchanged) {
  const std::size_t dims = rows.cols(), groups = rows.stride() / kLanes, n = members.size();
  const std::size_t n_levels = levels_.size();
  const bool fresh = levels_[0].value.size() != rows.stride();
  if (fresh) {
    for (Level& level : levels_) {
      level.pivot.assign(rows.stride(), 0.0);
      level.next_pivot.assign(rows.stride(), 0.0);
      level.value.assign(rows.stride(), 0.0);
      for (std::size_t j = 0; j < dims; ++j) select(rows, members, j, level);
    }
    ranks_.resize(groups * n_levels);
  }
  if (fresh || unchanged != counted_) unchanged = 0;
  counted_ = n;
  std::vector<HazenPosition>& at = positions_;
  at.clear();
  for (const Level& level : levels_) at.push_back(hazen_position(n, level.level));
  for (std::size_t g = 0; g < groups; ++g) {
    RankAround* const ranks = ranks_.data() + g * n_levels;
    const auto count_from = [&](std::size_t first) {
      for (std::size_t q = 0; q < n_levels; ++q)
        kernels().rank_columns(rows[0] + g * kLanes, rows.stride(), members.data() + first,
                               n - first, levels_[q].pivot.data() + g * kLanes, ranks + q);
    };
    const auto count_all = [&] {
      for (std::size_t q = 0; q < n_levels; ++q) {
        Level& level = levels_[q];
        clear(ranks[q]);
        std::copy_n(level.next_pivot.begin() + g * kLanes, kLanes,
                    level.pivot.begin() + g * kLanes);
      }
      count_from(0);
    };
    if (unchanged == 0)
      count_all();
    else
      count_from(unchanged);
    for (int tries = 0;; ++tries) {
      bool lost = false;
      for (std::size_t q = 0; q < n_levels; ++q) {
        for (std::size_t j = g * kLanes; j < std::min(dims, (g + 1) * kLanes); ++j) {
          if (resolve(j, q, at[q], static_cast<double>(n))) continue;
          lost = true;
          if (tries >= kTries || !aim(j, q, at[q], static_cast<double>(n)))
            select(rows, members, j, levels_[q]);
        }
      }
      if (!lost) break;
      count_all();
    }
  }
}

bool ColumnQuantiles::resolve(std::size_t column, std::size_t q, const HazenPosition& at,
                              double n) {
  Level& level = levels_[q];
  const RankAround& around = ranks_[column / kLanes * levels_.size() + q];
  const std::size_t lane = column % kLanes;
  const double pivot = level.pivot[column];
  double low = 0.0, high = 0.0;
  if (!value_at(around, lane, pivot, n, static_cast<double>(at.lower), low) ||
      !value_at(around, lane, pivot, n, static_cast<double>(at.upper), high))
    return false;
  level.value[column] = interpolate(low, high, at.fraction);
  level.next_pivot[column] = low;
  return true;
}

// Estimated place of the quantile if rows beyond the second neighbour are spaced as the two before it: counting again
// for eight columns costs less than selecting in one.
bool ColumnQuantiles::aim(std::size_t column, std::size_t q, const HazenPosition& at, double n) {
  Level& level = levels_[q];
  const RankAround& around = ranks_[column / kLanes * levels_.size() + q];
  const std::size_t lane = column % kLanes;
  const double pivot = level.pivot[column], rank = static_cast<double>(at.lower);
  const bool down = rank < around.below[lane];
  const double second = (down ? around.largest_below : around.smallest_above)[1][lane];
  const double beyond =
      down ? around.below[lane] - 2.0 - rank : rank - (n - around.above[lane]) - 1.0;
  const double next = second + beyond * 0.5 * (second - pivot);
  if (!std::isfinite(next)) return false;
  level.next_pivot[column] = next;
  return true;
}

void ColumnQuantiles::select(const RowMatrix& rows, std::span<const std::int32_t> members,
                             std::size_t column, Level& level) {
  scratch_.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) scratch_[i] = rows[members[i]][column];
  level.value[column] = hazen_quantile(scratch_, level.level);
  // hazen_quantile leaves the lower order statistic in its place.
  level.next_pivot[column] = scratch_[hazen_position(scratch_.size(), level.level).lower];
}

}  // namespace phida
