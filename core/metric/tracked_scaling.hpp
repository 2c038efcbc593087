// Scaling and gamma of a set of rows that learning changes gradually: a proof that gamma is 0 if possible, else the
// exact quartiles.
#pragma once

#include <cstdint>
#include <span>

#include "metric/feature_transform.hpp"
#include "metric/scale_guard.hpp"

namespace phida {

class TrackedScaling {
 public:
  // Every change to the rows since the last fit must be reported here. Added rows come last among the members,
  // inserted ones at any position.
  void row_added(const double* row) { guard_.add(row); }
  void row_inserted(const double* row) {
    moved_ = center_moved_ = true;
    guard_.add(row);
  }
  void row_moved(const double* before, const double* after) {
    moved_ = center_moved_ = true;
    guard_.replace(before, after);
  }
  void all_changed() {
    moved_ = center_moved_ = true;
    guard_.drop();
  }

  // Whether row_moved needs the values of rows. If not, its arguments are ignored.
  bool watches_rows() const { return guard_.standing(); }

  void fit(const RowMatrix& rows, std::span<const std::int32_t> members, FeatureTransform& out);

  // Computes the medians, for callers that need the centre.
  void fit_center(const RowMatrix& rows, std::span<const std::int32_t> members,
                  FeatureTransform& out);

 private:
  void guard(const RowMatrix& rows, std::span<const std::int32_t> members, double variation);

  ScaleGuard guard_;
  int fits_until_guard_ = 0;  // fits left after a guard that proved nothing
  ColumnQuartiles quartiles_;
  // whether rows other than new ones have changed since the quartiles were computed
  bool moved_ = true;
  std::size_t fitted_ = 0;  // number of rows at that time
  ColumnQuantiles medians_{0.5};
  bool center_moved_ = true;  // like moved_ and fitted_, for the medians
  std::size_t center_fitted_ = 0;
};

}  // namespace phida
