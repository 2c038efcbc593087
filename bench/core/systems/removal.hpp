// Helpers for the removal of nodes: the remaining indices and their values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace phida::systems {

// The indices below n that are not in `gone`, ascending.
inline std::vector<std::size_t> all_except(std::size_t n, std::span<const std::int32_t> gone) {
  std::vector<std::uint8_t> is_gone(n, 0);
  for (const std::int32_t node : gone) is_gone[node] = 1;
  std::vector<std::size_t> kept;
  kept.reserve(n);
  for (std::size_t i = 0; i < n; ++i)
    if (!is_gone[i]) kept.push_back(i);
  return kept;
}

// Keeps the values of the nodes named in `kept` (ascending), in order.
template <class Value>
void keep_values(std::vector<Value>& values, std::span<const std::size_t> kept) {
  for (std::size_t to = 0; to < kept.size(); ++to) values[to] = values[kept[to]];
  values.resize(kept.size());
}

}  // namespace phida::systems
