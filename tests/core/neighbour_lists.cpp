// Neighbours kept from one graph to the next must equal those of a new search.
#include "topology/neighbour_lists.hpp"

#include <limits>

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

// Rows that are added, moved and removed, with the nodes' stamps; some of them are members.
struct Program {
  Random random;
  bool tied, far;
  RowMatrix rows;
  std::vector<std::int64_t> stamps;
  std::vector<std::uint8_t> member;
  std::int64_t changes = 0;

  Program(std::uint64_t seed, std::size_t dims)
      : random(seed), tied(seed % 2), far(seed % 5 == 4), rows(dims) {
    for (std::size_t i = 0, n = 2 + random.below(70); i < n; ++i) add();
  }
  RowMatrix row() { return tied ? random.grid(1, rows.cols(), 3) : random.rows(1, rows.cols()); }
  void add() {
    rows.append(row()[0]);
    stamps.push_back(++changes);
    member.push_back(random.below(5) > 0);
  }
  // Mostly a small step, like that of nodes with many wins.
  void move(std::size_t i) {
    const double share = tied || random.below(4) == 0 ? 1.0 : 0.02;
    const RowMatrix towards = row();
    for (std::size_t j = 0; j < rows.cols(); ++j)
      rows[i][j] = share == 1.0 ? towards[0][j] : rows[i][j] + share * (towards[0][j] - rows[i][j]);
    if (far && random.below(5) == 0) rows[i][0] = 1e200;  // squares overflow
    stamps[i] = ++changes;
  }
  void remove(std::size_t i) {
    std::vector<std::size_t> kept;
    for (std::size_t r = 0; r < rows.rows(); ++r)
      if (r != i) kept.push_back(r);
    rows.keep(kept);
    stamps.erase(stamps.begin() + static_cast<std::ptrdiff_t>(i));
    member.erase(member.begin() + static_cast<std::ptrdiff_t>(i));
  }
  void step() {
    const std::size_t n = rows.rows();
    for (std::size_t m = 0, moves = random.below(10) ? random.below(4) : n; m < moves; ++m)
      move(random.below(n));
    if (random.below(4) == 0) add();
    if (random.below(6) == 0) member[random.below(n)] = 1;
    if (random.below(20) == 0) member[random.below(n)] = 0;
    if (random.below(20) == 0 && n > 2) remove(random.below(n));
  }
  Members members() const {
    Members all;
    for (std::size_t i = 0; i < member.size(); ++i)
      if (member[i]) all.push_back(static_cast<std::int32_t>(i));
    return all;
  }
};

}  // namespace

TEST("neighbour_lists: graphs with and without memory are equal") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    Program p(seed, 1 + seed % 5);
    KnnGraphBuilder builder;
    KnnGraph graph;
    for (int step = 0; step < 60; ++step) {
      p.step();
      const Members members = p.members();
      build_graph(builder, p.rows, members, std::nullopt, graph, p.stamps);
      const KnnGraph fresh = graph_over(p.rows, members);
      CHECK(graph.candidate == fresh.candidate && graph.distance == fresh.distance);
      CHECK(graph.edges.neighbour == fresh.edges.neighbour &&
            graph.global_threshold == fresh.global_threshold);
    }
  }
}

TEST("neighbour_lists: lists hold while rows move, unless distances are NaN") {
  Random random(1);
  RowMatrix rows = random.rows(40, 3);
  std::vector<std::int64_t> stamps(40);
  for (std::size_t i = 0; i < 40; ++i) stamps[i] = static_cast<std::int64_t>(i + 1);
  NeighbourLists lists;
  CHECK(lists.update(rows, plain::first(40), stamps, 2));
  rows[7][0] += 0.5;
  stamps[7] = 41;
  CHECK(lists.update(rows, plain::first(40), stamps, 2));
  for (std::int32_t row = 0; row < 40; ++row) CHECK(lists.of(row).size() >= 2);
  for (std::size_t i = 0; i < 40; ++i) {
    rows[i][0] = std::numeric_limits<double>::infinity();
    stamps[i] = static_cast<std::int64_t>(100 + i);
  }
  CHECK(!lists.update(rows, plain::first(40), stamps, 2));
  for (std::size_t i = 0; i < 40; ++i) {
    rows[i][0] = static_cast<double>(i);
    stamps[i] = static_cast<std::int64_t>(200 + i);
  }
  CHECK(lists.update(rows, plain::first(40), stamps, 2));
}
