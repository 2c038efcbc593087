#include "systems/correntropy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "numeric/elementary.hpp"

namespace phida::systems {

using Kernel = std::remove_pointer_t<CorrentropyKernel>;
Kernel correntropy_distances_baseline;
#if defined(PHIDA_X86_LEVELS)
Kernel correntropy_distances_avx2, correntropy_distances_avx512;
#endif

CorrentropyKernel correntropy_kernel([[maybe_unused]] std::string_view level) {
#if defined(PHIDA_X86_LEVELS)
  if (level.starts_with("avx512")) return correntropy_distances_avx512;
  if (level == "avx2") return correntropy_distances_avx2;
#endif
  return correntropy_distances_baseline;
}

namespace {

// The standard deviation of one feature. Differences from the first row are exactly 0 for a constant feature.
double deviation(std::span<const double* const> rows, std::size_t feature) {
  const double n = static_cast<double>(rows.size()), origin = rows[0][feature];
  double mean = 0.0, squares = 0.0;
  for (const double* row : rows) mean += row[feature] - origin;
  mean /= n;
  for (const double* row : rows) {
    const double gap = (row[feature] - origin) - mean;
    squares += gap * gap;
  }
  return squares > 0.0 ? std::sqrt(squares / (n - 1.0)) : 1e-6;
}

double median(std::vector<double>& values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  return values.size() % 2 ? *upper : (*std::max_element(values.begin(), upper) + *upper) / 2.0;
}

}  // namespace

double silverman_bandwidth(std::span<const double* const> rows, std::size_t dims) {
  std::vector<double> deviations(dims);
  for (std::size_t j = 0; j < dims; ++j) deviations[j] = deviation(rows, j);
  const double n = static_cast<double>(rows.size()), d = static_cast<double>(dims);
  return median(deviations) * portable_pow(4.0 / (2.0 + d), 1.0 / (4.0 + d)) *
         portable_pow(n, -1.0 / (4.0 + d));
}

std::span<const double> Correntropy::distances(const double* query, const NodePositions& nodes,
                                               double bandwidth) {
  const BlockedRows& blocks = nodes.blocks();
  distances_.resize(blocks.blocks() * kLanes);
  correntropy_kernel(kernels().level)(query, blocks.data(), blocks.blocks(), nodes.dims(),
                                      bandwidth, distances_.data());
  return {distances_.data(), nodes.size()};
}

TwoClosest Correntropy::closest_two(const double* query, const NodePositions& nodes,
                                    double bandwidth) {
  TwoClosest closest;
  const std::span<const double> all = distances(query, nodes, bandwidth);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    if (all[i] < closest.first_distance) {
      closest.second = closest.first;
      closest.second_distance = closest.first_distance;
      closest.first = node;
      closest.first_distance = all[i];
    } else if (all[i] < closest.second_distance) {
      closest.second = node;
      closest.second_distance = all[i];
    }
  }
  return closest;
}

double mean_bandwidth(std::span<const double> bandwidths) {
  return std::accumulate(bandwidths.begin(), bandwidths.end(), 0.0) /
         static_cast<double>(bandwidths.size());
}

std::vector<std::size_t> linked_nodes(const AgedGraph& graph) {
  std::vector<std::size_t> linked;
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (!graph.is_isolated(static_cast<std::int32_t>(i))) linked.push_back(i);
  return linked;
}

void assign_closest(Correntropy& correntropy, const NodePositions& nodes, double bandwidth,
                    const Components& components, const double* rows, std::size_t n,
                    std::int64_t* labels) {
  for (std::size_t i = 0; i < n; ++i) {
    const TwoClosest closest = correntropy.closest_two(rows + i * nodes.dims(), nodes, bandwidth);
    labels[i] = components.of_node[closest.first];
  }
}

}  // namespace phida::systems
