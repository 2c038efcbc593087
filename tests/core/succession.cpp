// Which new cluster gets which id.
#include "lineage/succession.hpp"

#include "check.hpp"
#include "mappings.hpp"

using namespace phida;

namespace {

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST("succession: the largest shared support keeps the id, whatever the labels") {
  Script script({5, 5, 7, 9});
  script.map("aabb");
  script.find("bbaa");
  CHECK(script.succession.id == (Ids{1, 0}));
}

TEST("succession: equal shares go to the lower id, then to the lower label") {
  Script script({3, 3, 3, 3});
  script.map("aabb");
  script.find("abab");
  CHECK(script.succession.id == (Ids{0, 1}));
  script.find("baba");
  CHECK(script.succession.id == (Ids{0, 1}));
}

TEST("succession: a cluster that the largest is refused takes the next") {
  // Cluster 0 shares 6 with both; cluster 1 is all in the second.
  Script script({6, 6, 4});
  script.map("aab");
  script.find("abb");
  CHECK(script.succession.id == (Ids{0, 1}));
}

TEST("succession: what is new has no id, and its parent is the cluster that most of it was") {
  Script script({8, 3, 2, 1});
  script.map("aab.");
  script.find("abac");
  CHECK(script.succession.id == (Ids{0, kNone, kNone}));
  CHECK(script.succession.parent == (Ids{0, 0, kNone}));
  CHECK(script.succession.from_parent == (std::vector<double>{8, 3, 0}));
  CHECK(script.succession.successor == (std::vector<std::int32_t>{0, 0}));
}

TEST("succession: after a merge an id goes with the nodes that were always its own") {
  Script script({6, 5});
  script.map("ab");
  script.map("aa");
  script.nodes.support[1] = 50;  // what was merged in outgrows the rest
  script.find("ab");
  CHECK(script.succession.id == (Ids{0, 1}));
}
