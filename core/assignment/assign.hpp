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

  // Scores (sample, cluster) of n samples of `dims` values each.
  void scores(const double* samples, std::size_t n, double* out);

  // Per sample, the cluster with the lowest score, the lowest label among equals.
  void labels(const double* samples, std::size_t n, std::int64_t* out);

  // Per sample, the squared distance to the nearest node of any cluster.
  void nearest_squares(const double* samples, std::size_t n, double* out);

  // Per sample, the squared distance to the second nearest node; infinity for a single node.
  void second_squares(const double* samples, std::size_t n, double* out);

  std::int32_t label(const double* sample) {
    std::int64_t label = 0;
    labels(sample, 1, &label);
    return static_cast<std::int32_t>(label);
  }

 private:
  struct Member {
    double square;
    double support;
  };

  // Calls visit(i, point) for every sample i while it is measured as that point.
  template <class Visit>
  void measure_all(const double* samples, std::size_t n, Visit visit);

  // Calls visit(i, candidates) for every sample i, with the rows that can be nearest; none if the grid failed.
  template <class Visit>
  void sieve_all(const double* samples, std::size_t n, Visit visit);
  void measure_eight(const double* samples, std::size_t n);
  void measure_one(const double* sample);

  struct Nearest {
    std::int32_t row;  // row of the view; among equally near ones, that of the lowest node
    double square;
  };
  Nearest nearest(const double* sample, std::span<const std::int32_t> candidates);
  std::int32_t nearest_cluster(const double* sample, std::span<const std::int32_t> candidates);
  std::int32_t lowest_score(std::size_t point);
  std::int32_t nearest_row(std::size_t point) const;
  std::int32_t cluster_of(std::int32_t row) const;
  double score(std::size_t cluster, std::size_t point, double limit);
  double score_within(double nearest, double support, double limit);

  std::size_t nearest_cluster(std::size_t point) const {
    return static_cast<std::size_t>(least_cluster_[point]);
  }
  double square(std::size_t row, std::size_t point) const {
    return squares_[row * stride_ + point];
  }

  const AssignmentView& view_;
  AlignedDoubles points_;         // eight samples, interleaved
  std::size_t stride_ = kLanes;   // points per row of the next three: those measured together
  AlignedDoubles squares_;        // (row, point)
  AlignedDoubles nearest_;        // (cluster, point): square of the nearest row
  AlignedDoubles nearest_row_;    // (cluster, point): the nearest row
  AlignedDoubles least_;          // (point): minimum of `nearest_`
  AlignedDoubles least_cluster_;  // (point): the cluster with that minimum
  std::vector<Member> members_;
  AlignedDoubles near_;  // squares of a block of rows
  RowMatrix together_;   // samples that are sieved together
  GridBatch batch_;
  GridSearch search_;
};

// Called every few milliseconds of long work; false stops it.
using GoOn = std::function<bool()>;

// Labels of n samples, in up to `threads` threads. Returns false if `go_on` stopped it.
bool assign(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
            const GoOn& go_on, std::int64_t* labels);

// Scores (sample, cluster) of n samples, in up to `threads` threads. Returns false if `go_on` stopped it.
bool score(const AssignmentView& view, const double* samples, std::size_t n, std::size_t threads,
           const GoOn& go_on, double* scores);

}  // namespace phida
