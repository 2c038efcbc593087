// Distances between nodes, and densities at nodes and edges.
#include "topology/density.hpp"

#include <algorithm>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

Density density_of(const RowMatrix& rows, const std::vector<std::int32_t>& members) {
  const std::vector<double> weight(rows.rows(), 1.0), variance(rows.rows(), 0.0);
  const NodeDistances distances(rows, width_of(4));
  const DensityInput input{rows, weight, variance};
  LargeDoubles memory;
  NodeSet set(input, distances, members, width_of(4), memory);
  return set.measure(4, set.dimensions(4));
}

}  // namespace

TEST("node_distances: squares and nearest rows equal a plain search") {
  Random random(1);
  for (const std::size_t dims : {1, 3, 20, 60})
    for (const std::size_t n : {2, 5, 64, 300})
      for (const bool ties : {false, true}) {
        const RowMatrix rows = ties ? random.grid(n, dims, 3) : random.rows(n, dims);
        const NodeDistances distances(rows, 12);
        CHECK(distances.kept() == (dims > 48));
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<NearRow> expected;
          for (std::size_t j = 0; j < n; ++j) {
            const double square = plain::square(rows[i], rows[j], nullptr, dims);
            if (distances.kept()) CHECK(plain::same_bits(distances.squares(i)[j], square));
            if (j != i) expected.push_back({square, static_cast<std::int32_t>(j)});
          }
          std::sort(expected.begin(), expected.end());
          const auto nearest = distances.nearest(i);
          CHECK(nearest.size() == std::min<std::size_t>(12, n - 1));
          for (std::size_t r = 0; r < nearest.size(); ++r)
            CHECK(nearest[r].row == expected[r].row && nearest[r].square == expected[r].square);
        }
      }
}

TEST("density: each edge is listed once, by positions in the set, without outside nodes") {
  Random random(4);
  const RowMatrix rows = random.rows(80, 2);
  std::vector<std::int32_t> members;
  RowMatrix chosen(2);
  for (std::int32_t i = 0; i < 80; i += 2) {
    members.push_back(i);
    chosen.append(rows[i]);
  }
  const Density part = density_of(rows, members), alone = density_of(chosen, plain::first(40));
  CHECK(plain::same_bits(part.height, alone.height));
  CHECK(part.edges.size() == alone.edges.size());
  for (std::size_t e = 0; e < part.edges.size(); ++e) {
    CHECK(part.edges[e].a == alone.edges[e].a && part.edges[e].b == alone.edges[e].b);
    CHECK(part.edges[e].height == alone.edges[e].height);
    CHECK(part.edges[e].a < part.edges[e].b);
    for (std::size_t f = 0; f < e; ++f)
      CHECK(part.edges[e].a != part.edges[f].a || part.edges[e].b != part.edges[f].b);
  }
}
