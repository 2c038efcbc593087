#include "nodes/fine_nodes.hpp"

#include <cmath>
#include <numeric>

namespace phida {

// Sums node by node, so that their order is fixed.
Spread spread_of(const FineNodes& nodes) {
  const std::size_t dims = nodes.dims();
  const std::vector<double> zeros(dims, 0.0);
  Spread spread{.mean = zeros, .squares = zeros, .inside = zeros, .farthest = zeros};
  for (const double w : nodes.weight) spread.weight += w;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < dims; ++j) spread.mean[j] += nodes.weight[i] * nodes.mean[i][j];
  for (double& m : spread.mean) m /= spread.weight;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double weight = nodes.weight[i], inverse = 1.0 / weight;
    const double *const mean = nodes.mean[i], *const scatter = nodes.scatter[i];
    const double* const centre = spread.mean.data();
    double *const inside = spread.inside.data(), *const squares = spread.squares.data();
    double* const farthest = spread.farthest.data();
    for (std::size_t j = 0; j < dims; ++j) {
      const double off = mean[j] - centre[j], square = weight * off * off;
      const double of_node = (scatter[j] + square) * inverse;
      inside[j] += scatter[j];
      squares[j] += square;
      farthest[j] = of_node > farthest[j] ? of_node : farthest[j];
    }
  }
  for (std::size_t j = 0; j < dims; ++j) spread.squares[j] = spread.inside[j] + spread.squares[j];
  return spread;
}

namespace {

// Rows this far from the centre, in variances, are less than a 256th of all. They are wild, and left out, if that
// makes the variance less than this share of its former value.
constexpr double kWild = 256.0, kShareOfTame = 0.25;

constexpr double kRoomForRounding = 0.999;

// Share of the deviation with wild rows; keeps distances finite.
constexpr double kLeastShare = 0x1p-480;

// Mean and summed squares of one feature over the kept nodes, and their weight.
struct FeatureSpread {
  double weight = 0.0;
  double mean = 0.0;
  double squares = 0.0;

  double variance() const { return squares / weight; }

  // The weighted mean of equal values rounds, so such a small spread counts as 0.
  double deviation() const {
    constexpr double kRounding = 0x1p-44;
    const double sigma = std::sqrt(variance());
    return sigma > kRounding * std::abs(mean) && sigma >= kLeastDeviation && std::isfinite(sigma)
               ? sigma
               : 0.0;
  }
};

bool is_wild(const FineNodes& nodes, std::size_t i, std::size_t j, double mean, double variance) {
  const double off = nodes.mean[i][j] - mean;
  return nodes.scatter[i][j] + nodes.weight[i] * off * off > kWild * variance * nodes.weight[i];
}

FeatureSpread spread_of(const FineNodes& nodes, std::span<const std::size_t> kept, std::size_t j) {
  FeatureSpread spread;
  double inside = 0.0;
  for (const std::size_t i : kept) spread.weight += nodes.weight[i];
  for (const std::size_t i : kept) spread.mean += nodes.weight[i] * nodes.mean[i][j];
  spread.mean /= spread.weight;
  for (const std::size_t i : kept) {
    const double off = nodes.mean[i][j] - spread.mean;
    inside += nodes.scatter[i][j];
    spread.squares += nodes.weight[i] * off * off;
  }
  spread.squares = inside + spread.squares;
  return spread;
}

// The deviation of one feature without wild nodes.
double tame_deviation(const FineNodes& nodes, FeatureSpread spread, std::size_t j) {
  std::vector<std::size_t> kept(nodes.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  const double first = spread.deviation();
  for (;;) {
    const std::size_t before = kept.size();
    std::erase_if(
        kept, [&](std::size_t i) { return is_wild(nodes, i, j, spread.mean, spread.variance()); });
    if (kept.size() == before || kept.empty()) break;
    const FeatureSpread rest = spread_of(nodes, kept, j);
    const double sigma = rest.deviation();
    if (!(rest.variance() < kShareOfTame * spread.variance() && sigma > 0.0 &&
          sigma >= kLeastShare * first))
      break;
    spread = rest;
  }
  return spread.deviation();
}

}  // namespace

std::vector<double> deviations(const FineNodes& nodes, const Spread& all) {
  const std::size_t dims = nodes.dims();
  std::vector<double> deviation(dims);
  for (std::size_t j = 0; j < dims; ++j) {
    const FeatureSpread spread{all.weight, all.mean[j], all.squares[j]};
    deviation[j] = spread.deviation();
    // Wild nodes are rare. Without any, the deviation stays the same.
    const bool may_be_wild = !(all.farthest[j] < kRoomForRounding * kWild * spread.variance());
    if (may_be_wild && deviation[j] > 0.0) deviation[j] = tame_deviation(nodes, spread, j);
  }
  return deviation;
}

}  // namespace phida
