#include "nodes/fine_nodes.hpp"

#include <cmath>

namespace phida {

// Node by node, so that the order of each sum is fixed.
Spread spread_of(const FineNodes& nodes) {
  const std::size_t dims = nodes.dims();
  Spread spread{.mean = std::vector<double>(dims, 0.0), .squares = std::vector<double>(dims, 0.0)};
  for (const double w : nodes.weight) spread.weight += w;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < dims; ++j) spread.mean[j] += nodes.weight[i] * nodes.mean[i][j];
  for (double& m : spread.mean) m /= spread.weight;
  std::vector<double> inside(dims, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < dims; ++j) {
      const double off = nodes.mean[i][j] - spread.mean[j];
      inside[j] += nodes.scatter[i][j];
      spread.squares[j] += nodes.weight[i] * off * off;
    }
  for (std::size_t j = 0; j < dims; ++j) spread.squares[j] = inside[j] + spread.squares[j];
  return spread;
}

// The weighted mean of equal values rounds: a spread that small is none.
std::vector<double> Spread::deviations() const {
  constexpr double kRounding = 0x1p-44;
  std::vector<double> deviation;
  for (std::size_t j = 0; j < squares.size(); ++j) {
    const double sigma = std::sqrt(squares[j] / weight);
    deviation.push_back(sigma > kRounding * std::abs(mean[j]) ? sigma : 0.0);
  }
  return deviation;
}

}  // namespace phida
