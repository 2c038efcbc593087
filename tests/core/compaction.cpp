// The order of merges equals that of a plain search over all pairs.
#include "nodes/compaction.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

FineNodes nodes_at(const RowMatrix& rows) {
  FineNodes nodes(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i)
    nodes.append(rows[i], 1.0, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
  return nodes;
}

void give_weights(Random& random, FineNodes& nodes) {
  for (double& w : nodes.weight) w = static_cast<double>(1 + random.below(9));
}

// Merges the cheapest pair until `target` nodes are left, ties to the lower first and then the lower second index.
// Returns the last cost.
double plain_compaction(FineNodes& nodes, const double* scaling, std::size_t target) {
  double last = 0.0;
  while (nodes.size() > target) {
    std::size_t first = 0, second = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = a + 1; b < nodes.size(); ++b) {
        const double square = plain::square(nodes.mean[a], nodes.mean[b], scaling, nodes.dims());
        const double cost = square / (1.0 / nodes.weight[a] + 1.0 / nodes.weight[b]);
        if (cost < least) {
          least = cost;
          first = a;
          second = b;
        }
      }
    if (second == 0) break;  // all costs are infinite
    merge_nodes(nodes, first, second);
    last = least;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (i != second) kept.push_back(i);
    nodes.keep(kept);
  }
  return last;
}

bool same(const FineNodes& a, const FineNodes& b) {
  if (a.id != b.id || a.weight != b.weight || a.lineage.won != b.lineage.won) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!plain::same_bits({a.mean[i], a.dims()}, {b.mean[i], b.dims()}) ||
        !plain::same_bits({a.scatter[i], a.dims()}, {b.scatter[i], b.dims()}))
      return false;
  return true;
}

// One object does all compactions: predictions from earlier ones must not change results.
void check_nodes(Compaction& compaction, const FineNodes& nodes, const double* scaling,
                 std::size_t target) {
  FineNodes expected = nodes;
  const double last = plain_compaction(expected, scaling, target);
  for (const double guess : {0.0, 1e-3 * last, last, 1e3 * last}) {
    FineNodes got = nodes;
    const double cost = compaction.merge_cheapest(got, scaling, target, guess);
    CHECK(plain::same_bits(cost, last));
    CHECK(same(got, expected));
  }
}

void check_rows(const RowMatrix& rows, std::uint64_t seed) {
  Random random(seed);
  Compaction compaction;
  FineNodes nodes = nodes_at(rows);
  const std::size_t n = rows.rows();
  const AlignedDoubles scaling = random.values(rows.stride(), 0.1, 10.0);
  for (const bool weighted : {false, true}) {
    if (weighted) give_weights(random, nodes);
    for (const bool scaled : {false, true})
      for (const std::size_t target : {n - 1, n * 3 / 4, n / 4, std::size_t{1}})
        check_nodes(compaction, nodes, scaled ? scaling.data() : nullptr, target);
  }
}

}  // namespace

TEST("compaction: merges equal a plain search on random rows") {
  Random random(1);
  for (const std::size_t dims : {1, 2, 5, 20, 60})
    for (const std::size_t n : {4, 9, 40}) check_rows(random.rows(n, dims), n + dims);
}

TEST("compaction: merges equal a plain search on equal costs and duplicates") {
  Random random(2);
  for (const std::size_t dims : {1, 2, 3})
    for (const std::size_t side : {1, 2, 5}) check_rows(random.grid(40, dims, side), dims + side);
  check_rows(plain::changed(random.rows(32, 1), [](auto, auto i, auto) { return double(i); }), 3);
}

TEST("compaction: merges equal a plain search on huge and tiny values") {
  Random random(3);
  for (const double factor : {1e-200, 1e-160, 1e-140, 1e130, 1e139})
    check_rows(plain::scaled(random.rows(30, 2), factor), 4);
}

TEST("compaction: merges equal a plain search on many features far from the origin") {
  Random random(8);
  for (const double away : {1e3, 1e9, 1e15})
    check_rows(plain::shifted(random.rows(24, 50), away), 6);
}

TEST("compaction: merges equal a plain search on distances of a few units in the last place") {
  Random random(10);
  for (const std::size_t dims : {1, 2, 3, 50})
    check_rows(plain::shifted(plain::scaled(random.grid(40, dims, 9), 0.125), 1e15), 7 + dims);
}

TEST("compaction: merges equal a plain search on scales mixed within a feature, or by place") {
  Random random(11);
  for (int round = 0; round < 10; ++round)
    check_rows(plain::changed(random.rows(40, 3),
                              [&](double x, auto, auto) {
                                return x * std::pow(10.0, random.uniform(-300.0, 130.0));
                              }),
               12);
  check_rows(plain::changed(random.rows(48, 2),
                            [](double x, auto i, auto) { return x * std::pow(10.0, i % 12); }),
             5);
}

// A reach that grew from 0 in small steps would take thousands of searches.
TEST("compaction: the first merges of groups, and of rows, that products cannot bound") {
  Random random(12);
  const RowMatrix rows = random.rows(500, 3);
  const RowMatrix groups =
      plain::changed(rows, [](double x, auto i, auto) { return i % 50 + 1e-7 * x; });
  Compaction compaction;
  for (const RowMatrix& some : {groups, plain::scaled(rows, 1e130)})
    check_nodes(compaction, nodes_at(some), nullptr, 495);
}

TEST("compaction: merges equal a plain search on nodes of very different weight") {
  Random random(5);
  Compaction compaction;
  for (int round = 0; round < 20; ++round) {
    FineNodes nodes = nodes_at(random.rows(40, 3));
    for (double& w : nodes.weight) w = std::pow(10.0, random.uniform(-9.0, 9.0));
    for (const std::size_t target : {30, 10, 1}) check_nodes(compaction, nodes, nullptr, target);
  }
}

TEST("compaction: merges equal a plain search on thousands of close pairs") {
  Random random(6);
  Compaction compaction;
  FineNodes nodes = nodes_at(random.rows(200, 2));
  give_weights(random, nodes);
  check_nodes(compaction, nodes, nullptr, 150);
  check_nodes(compaction, nodes_at(random.grid(200, 2, 8)), nullptr, 150);
}

TEST("compaction: pairs at infinite distance never merge") {
  FineNodes nodes = nodes_at(plain::changed(
      Random(1).rows(3, 1), [](auto, auto i, auto) { return 1e200 * (double(i) - 1.0); }));
  CHECK(Compaction().merge_cheapest(nodes, nullptr, 1, 0.0) == 0.0);
  CHECK(nodes.size() == 3);
}

TEST("compaction: at the target, nothing changes") {
  Random random(7);
  const FineNodes nodes = nodes_at(random.rows(10, 2));
  for (const std::size_t target : {10, 11, 100}) {
    FineNodes got = nodes;
    CHECK(Compaction().merge_cheapest(got, nullptr, target, 2.5) == 2.5);
    CHECK(same(got, nodes));
  }
}

TEST("compaction: the cost equals the increase of the scatter") {
  const double rows[][kLanes] = {{0.0}, {4.0}};
  FineNodes nodes(1);
  nodes.append(rows[0], 3.0, 0, 0);
  nodes.append(rows[1], 1.0, 1, 1);
  nodes.scatter[0][0] = 2.0;
  CHECK(Compaction().merge_cheapest(nodes, nullptr, 1, 0.0) == 12.0);
  CHECK(nodes.size() == 1 && nodes.weight[0] == 4.0 && nodes.mean[0][0] == 1.0);
  CHECK(nodes.scatter[0][0] == 14.0);
}

TEST("compaction: the heavier node's lineage continues, and wins are added") {
  for (const double weight : {1.0, 2.0, 3.0}) {
    const double row[kLanes] = {1.0};
    FineNodes nodes(1);
    nodes.append(row, 2.0, 10, 0);
    nodes.append(row, weight, 20, 1);
    nodes.credit = {5.0, 6.0};
    nodes.gap = {0.1, 0.2};
    nodes.lineage.cluster_id = {7, 8};
    nodes.lineage.won = {3, 4};
    nodes.lineage.recent = {1.5, 2.5};
    merge_nodes(nodes, 0, 1);
    const bool second = weight > 2.0;
    CHECK(nodes.lineage.cluster_id[0] == (second ? 8 : 7));
    CHECK(nodes.birth[0] == 10);
    CHECK(nodes.gap[0] == (second ? 0.2 : 0.1));
    CHECK(nodes.id[0] == 0 && nodes.credit[0] == 0.0);
    CHECK(nodes.lineage.won[0] == 7 && nodes.lineage.recent[0] == 4.0);
  }
}
