// Distances between nodes, and densities at nodes and edges.
#include "topology/density.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

struct Places {
  explicit Places(RowMatrix rows)
      : place(std::move(rows)), weight(place.rows(), 1.0), variance(place.rows(), 0.0) {}
  explicit Places(const std::vector<double>& xs) : Places(on_a_line(xs)) {}

  static RowMatrix on_a_line(const std::vector<double>& xs) {
    RowMatrix rows(1);
    for (const double x : xs) {
      const double row[kLanes] = {x};
      rows.append(row);
    }
    return rows;
  }
  Density measure(std::size_t k, const std::vector<std::int32_t>& members,
                  const std::optional<Dimensions>& dimensions = std::nullopt) const {
    const DensityInput input{place, weight, variance};
    const NodeDistances distances(place, width_of(k));
    NodeSet set(input, distances, members, width_of(k));
    return set.measure(k, dimensions ? *dimensions : set.dimensions(k));
  }
  Density measure(std::size_t k, const std::optional<Dimensions>& dimensions = std::nullopt) const {
    return measure(k, plain::first(place.rows()), dimensions);
  }

  RowMatrix place;
  std::vector<double> weight, variance;
};

}  // namespace

TEST("node_distances: squares and nearest rows equal a plain search") {
  Random random(1);
  for (const std::size_t dims : {1, 3, 20, 60})
    for (const std::size_t n : {2, 5, 64, 300})
      for (const bool ties : {false, true}) {
        const RowMatrix rows = ties ? random.grid(n, dims, 3) : random.rows(n, dims);
        const NodeDistances distances(rows, 12);
        const std::vector<std::int32_t> all = plain::first(n);
        AlignedDoubles squares(padded(n));
        for (std::size_t i = 0; i < n; ++i) {
          distances.squares(i, all.data(), n, squares.data());
          std::vector<NearRow> expected;
          for (std::size_t j = 0; j < n; ++j) {
            const double square = plain::square(rows[i], rows[j], nullptr, dims);
            CHECK(plain::same_bits(squares[j], square));
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

TEST("density: nodes at one place have the highest, finite density") {
  const Density density = Places({1.0, 1.0, 1.0, 2.0, 4.0}).measure(2);
  for (const double height : density.height) CHECK(std::isfinite(height));
  for (const DensityEdge& edge : density.edges) CHECK(std::isfinite(density.height_at(edge)));
  CHECK(density.height[0] == density.height[1] && density.height[1] == density.height[2]);
  CHECK(density.height[0] > density.height[3] && density.height[3] > density.height[4]);
}

TEST("density: the middle of an edge uses the nearest nodes of both ends") {
  Random random(5);
  for (const std::size_t k : {1, 2, 8}) {
    Places places(random.rows(60, 2));
    for (double& w : places.weight) w = random.uniform(0.5, 4.0);
    for (double& v : places.variance) v = random.uniform(0.0, 0.1);
    const Density density = places.measure(k);
    const NodeDistances distances(places.place, width_of(k));
    double total = 0.0;
    for (const double w : places.weight) total += w;
    for (const DensityEdge& edge : density.edges) {
      std::vector<double> middle(2);
      for (std::size_t j = 0; j < 2; ++j)
        middle[j] = 0.5 * (places.place[edge.a][j] + places.place[edge.b][j]);
      std::vector<NearRow> others;
      for (const std::int32_t end : {edge.a, edge.b})
        for (const NearRow& other : distances.nearest(end))
          if (other.row != edge.a && other.row != edge.b)
            others.push_back(
                {plain::square(middle.data(), places.place[other.row], nullptr, 2), other.row});
      std::sort(others.begin(), others.end());
      double mass = 0.0, squares = 0.0;
      for (const std::int32_t end : {edge.a, edge.b}) {
        const double further = std::max(places.weight[end] - 1.0, 0.0);
        mass += further;
        squares += further * (edge.square / 4.0 + places.variance[end]);
      }
      const double goal = static_cast<double>(k) * (total / 60.0);
      std::size_t count = 0;
      for (std::size_t i = 0; i < others.size() && (count < k - 1 || mass < goal); ++i) {
        if (i > 0 && others[i].row == others[i - 1].row) continue;
        const double weight = places.weight[others[i].row];
        mass += weight;
        squares += weight * (others[i].square + places.variance[others[i].row]);
        ++count;
      }
      CHECK_CLOSE(edge.mass, mass, 1e-12 * mass);
      CHECK_CLOSE(density.height_at(edge),
                  std::log(mass) - 0.5 * density.dimensions.local * std::log(squares / mass), 1e-9);
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
  const Density part = Places(rows).measure(4, members), alone = Places(chosen).measure(4);
  CHECK(plain::same_bits(part.height, alone.height));
  CHECK(part.edges.size() == alone.edges.size());
  for (std::size_t e = 0; e < part.edges.size(); ++e) {
    CHECK(part.edges[e].a == alone.edges[e].a && part.edges[e].b == alone.edges[e].b);
    CHECK(part.height_at(part.edges[e]) == alone.height_at(alone.edges[e]));
    CHECK(part.edges[e].a < part.edges[e].b);
    for (std::size_t f = 0; f < e; ++f)
      CHECK(part.edges[e].a != part.edges[f].a || part.edges[e].b != part.edges[f].b);
  }
}
