// Scores h_c of samples against the clusters of a view, and the labels that follow (spec section 9).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "assignment/assignment_view.hpp"

namespace phida {

class Assigner {
 public:
  explicit Assigner(const AssignmentView& view);

  // All scores of one sample, of `dims` values.
  void scores(const double* sample, double* out);

  // The cluster with the lowest score, the lowest label among equals.
  std::int32_t label(const double* sample);

 private:
  void measure(const double* sample);
  double score(std::size_t cluster);

  const AssignmentView& view_;
  AlignedDoubles squares_;
  std::vector<std::pair<double, double>> by_distance_;  // distance, support
};

}  // namespace phida
