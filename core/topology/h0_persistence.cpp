#include "topology/h0_persistence.hpp"

#include <algorithm>
#include <numeric>

#include "numeric/elementary.hpp"

namespace phida {

void H0Persistence::compute(const CsrGraph& graph, std::span<const double> support,
                            std::span<const std::uint8_t> input, Persistence& out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n = input.size();
  out.base.assign(n, -1);
  out.partner.assign(n, -1);
  out.birth.assign(n, 0.0);
  out.death.assign(n, -kInfinity);
  out.value.assign(n, kInfinity);
  trees_.reset(n);
  activated_.assign(n, 0);
  known_support_.resize(n, 0.0);
  known_log_.resize(n, 0.0);
  for (std::size_t v = 0; v < n; ++v)
    if (input[v]) out.birth[v] = log_support(v, support[v]);
  if (order_.size() != n) {
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), 0);
  }
  // The order of modes: denser first, then lower index. It also decides which of two modes survives.
  const auto denser = [&](std::int32_t a, std::int32_t b) {
    return support[a] > support[b] || (support[a] == support[b] && a < b);
  };
  // Few supports changed since the last call, so insertion beats a full sort.
  for (std::size_t i = 1; i < n; ++i) {
    const std::int32_t v = order_[i];
    std::size_t at = i;
    for (; at > 0 && denser(v, order_[at - 1]); --at) order_[at] = order_[at - 1];
    order_[at] = v;
  }
  for (const std::int32_t v : order_) {
    if (!input[v]) continue;
    activated_[v] = 1;
    std::int32_t mode = v;
    for (const std::int32_t neighbour : graph.neighbours(v)) {
      if (!activated_[neighbour]) continue;
      const std::int32_t other = trees_.root(neighbour);
      if (other == mode) continue;
      const std::int32_t survivor = denser(mode, other) ? mode : other;
      const std::int32_t dead = survivor == mode ? other : mode;
      trees_.hang(dead, survivor);
      out.partner[dead] = survivor;
      out.death[dead] = out.birth[v];
      out.value[dead] = out.birth[dead] - out.birth[v];
      mode = survivor;
    }
    out.base[v] = mode;
  }
}

// Without fading, supports are whole numbers, and many nodes have the same values in turn.
double H0Persistence::log_support(std::size_t v, double support) {
  if (known_support_[v] == support) return known_log_[v];
  known_support_[v] = support;
  const auto whole = static_cast<std::size_t>(std::min(support, static_cast<double>(kMostKnown)));
  if (whole >= kMostKnown || static_cast<double>(whole) != support)
    return known_log_[v] = portable_log(support);
  if (log_of_.size() <= whole) log_of_.resize(2 * whole + 1, kUnknown);
  if (log_of_[whole] == kUnknown) log_of_[whole] = portable_log(support);
  return known_log_[v] = log_of_[whole];
}

}  // namespace phida
