// Scaling and gamma of a set of rows that learning changes little by little: a proof that gamma is 0 where there is
// one, else the exact quartiles.
#pragma once

#include <cstdint>
#include <span>

#include "metric/feature_transform.hpp"
#include "metric/scale_guard.hpp"

namespace phida {

class TrackedScaling {
 public:
  // Every change to the rows since the last fit must be reported here. Added rows come last among the members, inserted
  // ones anywhere.
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

  // Whether row_moved needs the values of rows. If not, its arguments may be anything.
  bool watches_rows() const { return guard_.standing(); }

  void fit(const RowMatrix& rows, std::span<const std::int32_t> members, FeatureTransform& out);

  // The medians, for who needs the centre.
  void fit_center(const RowMatrix& rows, std::span<const std::int32_t> members,
                  FeatureTransform& out);

 private:
  void guard(const RowMatrix& rows, std::span<const std::int32_t> members, double variation);

  ScaleGuard guard_;
  int fits_until_guard_ = 0;  // after a guard that proved nothing
  ColumnQuartiles quartiles_;
  bool moved_ = true;       // since the quartiles were taken, other than by adding rows
  std::size_t fitted_ = 0;  // how many rows they were taken of
  ColumnQuantiles medians_{0.5};
  bool center_moved_ = true;  // as moved_ and fitted_, for the medians
  std::size_t center_fitted_ = 0;
};

}  // namespace phida
