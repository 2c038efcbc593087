// Scores h_c of samples against the clusters of a view, and the labels that follow (spec section 9).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  struct Member {
    double square;
    double support;
  };

  void measure(const double* sample);
  double nearest(std::size_t cluster) const;
  std::int32_t label_of_nearest() const;
  double score(std::size_t cluster, double nearest_distance);
  double square_within(double support);

  const AssignmentView& view_;
  AlignedDoubles squares_;
  std::vector<double> nearest_;
  std::vector<Member> members_;
};

// Asked every few milliseconds of long work; says whether to go on.
using GoOn = std::function<bool()>;

// Labels of n samples, in up to `threads` threads. False if `go_on` ended it early.
bool assign(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels);

// Scores (sample, cluster) of n samples, likewise.
bool score(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
           const GoOn& go_on, double* scores);

}  // namespace phida
