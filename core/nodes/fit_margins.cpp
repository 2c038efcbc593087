#include "nodes/fit_margins.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "nodes/matching.hpp"

namespace phida {

void fit_margins(const NodeState& nodes, const Moments& moments, double vigilance,
                 const double* rows, std::size_t n, double* margins) {
  std::fill_n(margins, n, 0.0);
  if (nodes.size() < 3) return;
  std::vector<std::int32_t> all(nodes.size());
  std::iota(all.begin(), all.end(), 0);
  ColumnQuartiles quartiles;
  FeatureTransform transform;
  fit_scaling(nodes.representative, all, 0, quartiles, transform);
  Matcher matcher(nodes.dims());
  matcher.assign(nodes.representative);
  const WeightSource weights{nodes.m2, nodes.support, moments};
  AlignedDoubles row(padded(nodes.dims()), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(rows + i * nodes.dims(), nodes.dims(), row.begin());
    const Match match = matcher.nearest_two(row.data(), transform.scaling(), transform.gamma,
                                            nodes.representative, weights);
    margins[i] = similarity(match.winner_distance, nodes.scale[match.winner]) - vigilance;
  }
}

}  // namespace phida
