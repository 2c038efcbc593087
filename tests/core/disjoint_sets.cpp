#include "numeric/disjoint_sets.hpp"

#include "check.hpp"
#include "random.hpp"

using namespace phida;

TEST("disjoint_sets: all elements are separate at first and after a reset") {
  DisjointSets sets;
  sets.reset(3);
  sets.hang(0, 2);
  CHECK(sets.root(0) == 2);
  sets.reset(5);
  for (std::int32_t v = 0; v < 5; ++v) CHECK(sets.root(v) == v);
}

TEST("disjoint_sets: the root is the caller's choice") {
  DisjointSets sets;
  sets.reset(4);
  sets.hang(0, 1);
  sets.hang(1, 3);  // the larger tree below the smaller one
  CHECK(sets.root(0) == 3 && sets.root(1) == 3 && sets.root(3) == 3 && sets.root(2) == 2);
}

TEST("disjoint_sets: equals relabelling") {
  Random random(1);
  DisjointSets sets;
  for (int program = 0; program < 50; ++program) {
    const std::size_t n = 1 + random.below(40);
    sets.reset(n);
    std::vector<std::int32_t> label(n);
    std::iota(label.begin(), label.end(), 0);
    for (std::size_t step = 0; step < 2 * n; ++step) {
      const std::int32_t a = sets.root(static_cast<std::int32_t>(random.below(n)));
      const std::int32_t b = sets.root(static_cast<std::int32_t>(random.below(n)));
      if (a != b) {
        sets.hang(a, b);
        for (std::int32_t& l : label)
          if (l == a) l = b;
      }
      const std::size_t v = random.below(n);
      CHECK(sets.root(static_cast<std::int32_t>(v)) == label[v]);
    }
  }
}
