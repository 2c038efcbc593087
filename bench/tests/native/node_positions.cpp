#include "systems/node_positions.hpp"

#include <cmath>

#include "check.hpp"
#include "levels.hpp"
#include "random.hpp"

using namespace phida;
using systems::NodePositions;
using systems::TwoNearest;

namespace {

// The two nearest by a plain loop; equal distances go to the lower index.
TwoNearest plain_two(const NodePositions& positions, const double* query) {
  TwoNearest nearest;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const double square = plain::square(query, positions[i], nullptr, positions.dims());
    const auto node = static_cast<std::int32_t>(i);
    if (square < nearest.first_square)
      nearest = {node, nearest.first, square, nearest.first_square};
    else if (square < nearest.second_square)
      nearest = {nearest.first, node, nearest.first_square, square};
  }
  return nearest;
}

void check_search(NodePositions& positions, const double* query) {
  const TwoNearest found = positions.nearest_two(query), expected = plain_two(positions, query);
  CHECK(found.first == expected.first && found.second == expected.second);
  CHECK(found.first_square == expected.first_square);
  CHECK(found.second_square == expected.second_square);
  CHECK(positions.nearest(query) == expected.first);
}

}  // namespace

TEST("node_positions: returns the two nearest, with ties, at every level") {
  const LevelGuard guard;
  for (const char* level : kLevels) {
    if (!use_kernels(level)) continue;
    Random random(3);
    for (const std::size_t dims : {1, 2, 5, 100})
      for (std::size_t n = 1; n <= 30; ++n) {
        NodePositions positions(random.grid(n, dims, 3));
        for (int query = 0; query < 5; ++query) check_search(positions, random.grid(1, dims, 3)[0]);
      }
  }
}

TEST("node_positions: the search follows moves, additions and removals") {
  Random random(4);
  NodePositions positions(3);
  for (int step = 0; step < 300; ++step) {
    const AlignedDoubles row = random.values(3);
    if (positions.size() < 5 || random.below(2) == 0) positions.append(row.data());
    positions.move(random.below(positions.size()), row.data(),
                   [](double gap) { return 0.5 * gap; });
    if (random.below(4) == 0) {
      std::vector<std::size_t> kept;
      for (std::size_t i = 0; i < positions.size(); ++i)
        if (kept.empty() || random.below(3) > 0) kept.push_back(i);
      positions.keep(kept);
      CHECK(positions.size() == kept.size());
    }
    check_search(positions, random.values(3).data());
  }
}

TEST("node_positions: a single node has no second nearest") {
  NodePositions positions(2);
  const double row[] = {1.0, 2.0};
  positions.append(row);
  const TwoNearest nearest = positions.nearest_two(row);
  CHECK(nearest.first == 0 && nearest.second == -1 && nearest.first_square == 0.0);
  CHECK(std::isinf(nearest.second_square));
}

TEST("node_positions: the square between nodes equals that of the search") {
  Random random(5);
  NodePositions positions(random.rows(2, 19));
  CHECK(positions.square_between(0, 1) == positions.nearest_two(positions[0]).second_square);
}
