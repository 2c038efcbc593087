#include "topology/h0_persistence.hpp"

#include <algorithm>

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
  order_.clear();
  for (std::size_t v = 0; v < n; ++v) {
    if (!input[v]) continue;
    order_.push_back(static_cast<std::int32_t>(v));
    out.birth[v] = portable_log(support[v]);
  }
  // The one order of modes: denser first, then lower index. It also decides which of two modes survives.
  const auto denser = [&](std::int32_t a, std::int32_t b) {
    return support[a] > support[b] || (support[a] == support[b] && a < b);
  };
  std::sort(order_.begin(), order_.end(), denser);
  for (const std::int32_t v : order_) {
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

}  // namespace phida
