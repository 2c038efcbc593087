// The chosen level of a hierarchy, and its clusters.
#include "check.hpp"
#include "mapping/component_hierarchy.hpp"

using namespace phida;

namespace {

std::size_t level(const std::vector<double>& heights) {
  std::vector<Merge> merges;
  for (const double height : heights) merges.push_back({0, 1, height});
  return cut_level(merges);
}

using Clusters = std::vector<std::int32_t>;

}  // namespace

TEST("hierarchy_cut: level 0 without merges and before a single merge") {
  CHECK(level({}) == 0);
  CHECK(level({3.0}) == 0);
}

TEST("hierarchy_cut: takes the level before the largest jump") {
  CHECK(level({1.0, 2.0, 9.0, 10.0}) == 2);
  CHECK(level({5.0, 6.0, 7.0}) == 0);
}

TEST("hierarchy_cut: equal jumps go to the one that ends higher") {
  CHECK(level({1.0, 2.0, 3.0}) == 2);
  CHECK(level({2.0, 3.0, 5.0, 6.0}) == 2);
}

TEST("hierarchy_cut: jumps equal up to rounding count as equal") {
  CHECK(level({1.0, 2.0 - 1e-9}) == 1);
  CHECK(level({1.0, 2.0 - 1e-3}) == 0);
  CHECK(level({1000.0, 2000.0 - 5e-3}) == 1);  // relative to the best jump
}

TEST("hierarchy_cut: an equal jump that ends lower loses") {
  CHECK(level({4.0, 1.0, 5.0}) == 2);   // jumps 4, -3, 4: the second 4 ends at 5
  CHECK(level({4.0, -2.0, 2.0}) == 0);  // jumps 4, -6, 4: the second 4 ends at only 2
}

TEST("hierarchy_cut: a negative first jump is the best so far") {
  CHECK(level({-5.0, -11.0}) == 0);
  CHECK(level({-5.0, -6.0, -9.0}) == 1);
}

TEST("hierarchy_cut: heights may decrease") {
  CHECK(level({3.0, 2.0, 1.0}) == 0);
  CHECK(level({3.0, 1.0, 9.0}) == 2);
}

TEST("hierarchy_cut: clusters are numbered by their lowest component") {
  const std::vector<Merge> merges{{1, 3, 1.0}, {0, 4, 2.0}, {0, 1, 3.0}};
  CHECK(clusters_at(merges, 0, 5) == Clusters{0, 1, 2, 3, 4});
  CHECK(clusters_at(merges, 1, 5) == Clusters{0, 1, 2, 1, 3});
  CHECK(clusters_at(merges, 2, 5) == Clusters{0, 1, 2, 1, 0});
  CHECK(clusters_at(merges, 3, 5) == Clusters{0, 0, 1, 0, 0});
}
