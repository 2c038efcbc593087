// Converts the systems' own types for their saved state.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "fields.hpp"
#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::bindings {

template <>
struct FieldConverter<systems::NodePositions> {
  static nb::object write(const systems::NodePositions& positions) {
    return to_array(positions.rows());
  }
  static bool read(nb::handle from, systems::NodePositions& positions) {
    RowMatrix rows(positions.dims());
    if (!FieldConverter<RowMatrix>::read(from, rows)) return false;
    positions = systems::NodePositions(std::move(rows));
    return true;
  }
};

// The number of nodes is stored because edges do not show isolated nodes. Two nodes and the age of each edge follow.
template <>
struct FieldConverter<systems::AgedGraph> {
  static nb::object write(const systems::AgedGraph& graph) {
    std::vector<std::int64_t> values{static_cast<std::int64_t>(graph.size())};
    for (const auto& [a, b, age] : graph.edges()) values.insert(values.end(), {a, b, age});
    return to_array(values);
  }
  static bool read(nb::handle from, systems::AgedGraph& graph) {
    std::vector<std::int64_t> values;
    if (!FieldConverter<std::vector<std::int64_t>>::read(from, values)) return false;
    if (values.size() % 3 != 1 || values[0] < 0) return false;
    const std::int64_t n = values[0];
    if (n > std::numeric_limits<std::int32_t>::max()) return false;
    graph = {};
    for (std::int64_t i = 0; i < n; ++i) graph.add_node();
    for (std::size_t e = 1; e < values.size(); e += 3) {
      const std::int64_t a = values[e], b = values[e + 1];
      if (a < 0 || a >= b || b >= n) return false;
      graph.connect(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), values[e + 2]);
    }
    return true;
  }
};

}  // namespace phida::bindings
