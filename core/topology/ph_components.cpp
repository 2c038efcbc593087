#include "topology/ph_components.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/largest_gap.hpp"

namespace phida {
namespace {

double persistence_threshold(const Persistence& persistence, std::vector<double>& levels) {
  levels.clear();
  for (std::size_t v = 0; v < persistence.base.size(); ++v) {
    const double value = persistence.value[v];
    if (persistence.base[v] >= 0 && value > 0.0 && std::isfinite(value)) levels.push_back(value);
  }
  std::sort(levels.begin(), levels.end());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  if (levels.size() < 2) return 0.0;
  const std::size_t top = largest_gap(levels);
  return top == 0 ? 0.0 : levels[top - 1];
}

}  // namespace

void choose_input(const CsrGraph& graph, std::span<const double> support,
                  std::vector<std::uint8_t>& input) {
  const std::size_t n = support.size();
  input.assign(n, 0);
  std::size_t left = 0;
  for (std::size_t v = 0; v < n; ++v) left += input[v] = graph.degree(v) > 0;
  if (left >= std::min<std::size_t>(2, n)) return;
  if (n <= 2) {
    input.assign(n, 1);
    return;
  }
  for (int added = 0; added < 2; ++added) {
    std::size_t densest = n;
    for (std::size_t v = 0; v < n; ++v)
      if (!input[v] && (densest == n || support[v] > support[densest])) densest = v;
    input[densest] = 1;
  }
}

void cut_components(const Persistence& persistence, std::span<const double> support,
                    std::vector<double>& scratch, PhComponents& out) {
  const std::size_t n = persistence.base.size();
  out.threshold = persistence_threshold(persistence, scratch);
  out.component.assign(n, -1);
  out.mode.clear();
  // From its base, every vertex climbs to the first persistent mode, which is its component for now.
  for (std::size_t v = 0; v < n; ++v) {
    std::int32_t mode = persistence.base[v];
    if (mode < 0) continue;
    while (std::isfinite(persistence.value[mode]) && persistence.value[mode] <= out.threshold)
      mode = persistence.partner[mode];
    out.component[v] = mode;
    if (mode == static_cast<std::int32_t>(v)) out.mode.push_back(mode);
  }
  // Component persistence: infinity counts as the largest positive finite one, or 1.
  double longest = 0.0;
  for (const std::int32_t mode : out.mode)
    if (std::isfinite(persistence.value[mode]))
      longest = std::max(longest, persistence.value[mode]);
  if (longest == 0.0) longest = 1.0;
  const std::size_t count = out.mode.size();
  out.persistence.assign(count, 0.0);
  scratch.assign(count, 0.0);
  for (std::size_t v = 0; v < n; ++v) {
    if (out.component[v] < 0) continue;
    const auto number = std::lower_bound(out.mode.begin(), out.mode.end(), out.component[v]);
    const auto a = static_cast<std::size_t>(number - out.mode.begin());
    const double value = persistence.value[out.component[v]];
    out.persistence[a] += support[v] * (std::isfinite(value) ? value : longest);
    scratch[a] += support[v];
    out.component[v] = static_cast<std::int32_t>(a);
  }
  for (std::size_t a = 0; a < count; ++a) out.persistence[a] /= scratch[a];
}

void separate_components(std::span<const std::uint8_t> input, PhComponents& out) {
  out.threshold = 0.0;
  out.component.assign(input.size(), -1);
  out.mode.clear();
  for (std::size_t v = 0; v < input.size(); ++v) {
    if (!input[v]) continue;
    out.component[v] = static_cast<std::int32_t>(out.mode.size());
    out.mode.push_back(static_cast<std::int32_t>(v));
  }
  out.persistence.assign(out.mode.size(), 1.0);
}

}  // namespace phida
