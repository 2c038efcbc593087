// Groups: density-guided H0 persistence of the flow between nodes (PHIDA+, section 3). Not in the paper.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/flow.hpp"
#include "metric/feature_transform.hpp"

namespace phida {

// Peak over valley of two equal Gaussians four standard deviations apart, e^2 / 2: what counts as two groups.
constexpr double kProminence = 3.694528049465325;

// Where a tree of the flow graph meets another one. Vertices are positions in `Flow::members`.
struct FlowMerge {
  std::int32_t a = 0;  // the edge at which they meet
  std::int32_t b = 0;
  std::int32_t peak = 0;     // the lower of the two peaks
  std::int32_t partner = 0;  // the higher one
  double peak_height = 0.0;
  double valley_height = 0.0;
  std::int64_t valley_count = 0;  // the counts behind the two heights, in units
  std::int64_t peak_count = 0;

  double prominence() const { return peak_height / valley_height; }
};

struct FlowGroups {
  std::vector<double> height;     // h, per member; 0 for a member without edges
  std::vector<FlowMerge> merges;  // ascending prominence, ties in the order of meeting
};

// `transform` is the metric of the members.
FlowGroups find_groups(const RowMatrix& representative, const Flow& flow,
                       const FeatureTransform& transform);

}  // namespace phida
