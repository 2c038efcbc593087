#include "mapping/component_mass.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/entropy_count.hpp"

namespace phida {
namespace {

// Median of the positive finite component persistences, or 1 without any.
double reference_persistence(std::span<const double> persistence, std::vector<double>& scratch) {
  scratch.clear();
  for (const double value : persistence)
    if (value > 0.0 && std::isfinite(value)) scratch.push_back(value);
  if (scratch.empty()) return 1.0;
  std::sort(scratch.begin(), scratch.end());
  const std::size_t half = scratch.size() / 2;
  return scratch.size() % 2 == 1 ? scratch[half] : 0.5 * (scratch[half - 1] + scratch[half]);
}

}  // namespace

void weigh_components(const PhComponents& components, std::span<const double> support,
                      std::vector<double>& scratch, ComponentMass& out) {
  const std::size_t n = components.component.size();
  const double reference = reference_persistence(components.persistence, scratch);
  out.node.assign(n, 0.0);
  double total = 0.0;
  for (std::size_t v = 0; v < n; ++v) {
    if (components.component[v] < 0) continue;
    const double pi = components.persistence[components.component[v]];
    out.node[v] = support[v] * pi / std::max(pi + reference, 1e-12);
    total += out.node[v];
  }
  // Invalid stable masses fall back to the support totals.
  const bool valid = total > 0.0 && std::isfinite(total);
  out.component.assign(components.count(), 0.0);
  for (std::size_t v = 0; v < n; ++v) {
    if (components.component[v] < 0) continue;
    if (!valid) out.node[v] = support[v];
    if (!(out.node[v] > 0.0)) out.node[v] = 1e-12;
    out.component[components.component[v]] += out.node[v];
  }
  const double count = std::ceil(entropy_count(out.component));
  out.minimum_count =
      static_cast<std::size_t>(std::clamp(count, 1.0, static_cast<double>(components.count())));
}

}  // namespace phida
