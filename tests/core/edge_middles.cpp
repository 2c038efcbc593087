// The candidates around the middle of an edge.
#include "topology/edge_middles.hpp"

#include <algorithm>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

bool same(const NearRow& x, const NearRow& y) {
  return plain::same_bits(x.square, y.square) && x.row == y.row;
}

struct Fixture {
  Fixture(RowMatrix rows, std::size_t length)
      : place(std::move(rows)),
        distances(place, length),
        nodes(plain::first(place.rows())),
        lists(place.rows(), length) {
    for (std::size_t i = 0; i < place.rows(); ++i)
      for (std::size_t t = 0; t < length; ++t) {
        lists.square[i * lists.stride + t] = distances.nearest(i)[t].square;
        lists.row[i * lists.stride + t] = distances.nearest(i)[t].row;
      }
  }

  double square(std::int32_t a, std::int32_t b) const {
    return plain::square(place[a], place[b], nullptr, place.cols());
  }

  void add_edge(std::int32_t a, std::int32_t b) { edges.push_back({a, b, square(a, b)}); }

  std::vector<NearRow> candidates(const DensityEdge& edge, std::size_t width) const {
    std::vector<NearRow> out;
    for (const std::int32_t end : {edge.a, edge.b})
      for (std::size_t t = 0; t < width; ++t) {
        const std::int32_t row = lists.rows(end)[t];
        if (row == edge.a || row == edge.b) continue;
        const double sum = square(edge.a, row) + square(edge.b, row);
        out.push_back({std::max(0.5 * sum - 0.25 * edge.square, 0.0), row});
      }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end(), same), out.end());
    return out;
  }

  RowMatrix place;
  NodeDistances distances;
  std::vector<std::int32_t> nodes;
  NearLists lists;
  std::vector<DensityEdge> edges;
  LargeDoubles memory;
};

void check_edges(const Fixture& fixture, EdgeMiddles& middles, std::size_t first, std::size_t last,
                 std::size_t width) {
  middles.measure(first, last, width);
  for (std::size_t e = first; e < last; ++e) {
    middles.set_edge(e, width);
    const std::vector<NearRow> expected = fixture.candidates(fixture.edges[e], width);
    const auto all = middles.all();
    CHECK(std::equal(all.begin(), all.end(), expected.begin(), expected.end(), same));
    const auto nearest = middles.nearest(std::max<std::size_t>(width / 3, 1));
    CHECK(nearest.size() <= expected.size() &&
          std::equal(nearest.begin(), nearest.end(), expected.begin(), same));
  }
}

}  // namespace

TEST(
    "edge_middles: candidates equal a plain search, for lists that grow and with equal distances") {
  Random random(1);
  for (const std::size_t dims : {1, 2, 17, 60})
    for (const bool ties : {false, true}) {
      Fixture fixture(ties ? random.grid(90, dims, 3) : random.rows(90, dims), 30);
      for (int e = 0; e < 300; ++e) {
        const auto a = static_cast<std::int32_t>(random.below(89));
        fixture.add_edge(a, a + 1 + static_cast<std::int32_t>(random.below(89 - a)));
      }
      EdgeMiddles middles(fixture.place, fixture.distances, fixture.nodes, fixture.lists,
                          fixture.edges, fixture.memory);
      for (const std::size_t width : {3, 10, 10, 16, 30})
        check_edges(fixture, middles, 0, fixture.edges.size(), width);
    }
}

TEST("edge_middles: more edges than memory for them are measured in parts") {
  Random random(2);
  Fixture fixture(random.rows(300, 2), 4);
  for (std::int32_t a = 0; a < 300; ++a)
    for (std::int32_t b = a + 1; b < 300; ++b) fixture.add_edge(a, b);
  EdgeMiddles middles(fixture.place, fixture.distances, fixture.nodes, fixture.lists, fixture.edges,
                      fixture.memory);
  const std::size_t half = EdgeMiddles::kMostEdges, n = fixture.edges.size();
  CHECK(n > half);
  for (const std::size_t width : {2, 4}) {
    check_edges(fixture, middles, 0, half, width);
    check_edges(fixture, middles, half, n, width);
  }
}
