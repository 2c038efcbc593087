#include "metric/column_quartiles.hpp"

#include <algorithm>

#include "metric/rank_around.hpp"

namespace phida {
namespace {

constexpr double kLevel[2] = {0.25, 0.75};

}  // namespace

void ColumnQuartiles::update(const RowMatrix& rows, std::span<const std::int32_t> members,
                             std::size_t unchanged) {
  const std::size_t dims = rows.cols(), groups = rows.stride() / kLanes, n = members.size();
  const bool fresh = quartile_[0].size() != rows.stride();
  if (fresh) {
    for (int q = 0; q < 2; ++q) {
      pivot_[q].assign(rows.stride(), 0.0);
      next_pivot_[q].assign(rows.stride(), 0.0);
      quartile_[q].assign(rows.stride(), 0.0);
    }
    ranks_.resize(groups * 2);
    for (std::size_t j = 0; j < dims; ++j)
      for (std::size_t q = 0; q < 2; ++q) select(rows, members, j, q);
  }
  if (fresh || unchanged != counted_) unchanged = 0;
  counted_ = n;
  const HazenPosition at[2] = {hazen_position(n, kLevel[0]), hazen_position(n, kLevel[1])};
  for (std::size_t g = 0; g < groups; ++g) {
    RankAround* const ranks = ranks_.data() + g * 2;
    const auto count_from = [&](std::size_t first) {
      for (int q = 0; q < 2; ++q)
        kernels().rank_columns(rows[0] + g * kLanes, rows.stride(), members.data() + first,
                               n - first, pivot_[q].data() + g * kLanes, ranks + q);
    };
    const auto count_all = [&] {
      for (int q = 0; q < 2; ++q) {
        clear(ranks[q]);
        std::copy_n(next_pivot_[q].begin() + g * kLanes, kLanes, pivot_[q].begin() + g * kLanes);
      }
      count_from(0);
    };
    if (unchanged == 0)
      count_all();
    else
      count_from(unchanged);
    bool lost = false;
    for (std::size_t j = g * kLanes; j < std::min(dims, (g + 1) * kLanes); ++j) {
      for (std::size_t q = 0; q < 2; ++q) {
        if (resolve(j, q, at[q], static_cast<double>(n))) continue;
        select(rows, members, j, q);
        lost = true;
      }
    }
    if (lost) count_all();
  }
}

bool ColumnQuartiles::resolve(std::size_t column, std::size_t q, const HazenPosition& at,
                              double n) {
  const RankAround& around = ranks_[column / kLanes * 2 + q];
  const std::size_t lane = column % kLanes;
  const double pivot = pivot_[q][column];
  double low = 0.0, high = 0.0;
  if (!value_at(around, lane, pivot, n, static_cast<double>(at.lower), low) ||
      !value_at(around, lane, pivot, n, static_cast<double>(at.upper), high))
    return false;
  quartile_[q][column] = interpolate(low, high, at.fraction);
  next_pivot_[q][column] = low;
  return true;
}

void ColumnQuartiles::select(const RowMatrix& rows, std::span<const std::int32_t> members,
                             std::size_t column, std::size_t q) {
  scratch_.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) scratch_[i] = rows[members[i]][column];
  quartile_[q][column] = hazen_quantile(scratch_, kLevel[q]);
  // hazen_quantile leaves the lower order statistic in its place.
  next_pivot_[q][column] = scratch_[hazen_position(scratch_.size(), kLevel[q]).lower];
}

}  // namespace phida
