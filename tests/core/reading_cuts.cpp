// Other cuts of a reading's hierarchy.
#include <algorithm>
#include <stdexcept>

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

std::shared_ptr<const Reading> reading_of(std::uint64_t seed) {
  return learner_of(blobs(seed, 600, 3, 6), {3, false, {}}).reading();
}

}  // namespace

TEST("reading: its own cut is among the cuts") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto reading = reading_of(seed);
    const auto same = at_level(*reading, reading->ph.hierarchy.level);
    CHECK(same->cluster == reading->cluster);
    CHECK(same->cluster_id == reading->cluster_id);
    CHECK(same->view.cluster_support == reading->view.cluster_support);
    CHECK(same->view.concentration == reading->view.concentration);
  }
}

TEST("reading: merging beyond the least number begins with the merges up to it") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto reading = reading_of(seed);
    const std::vector<Merge> some = reading->ph.hierarchy.merges, all = all_merges(*reading);
    CHECK(all.size() >= some.size());
    for (std::size_t l = 0; l < some.size(); ++l)
      CHECK(all[l].into == some[l].into && all[l].from == some[l].from &&
            all[l].height == some[l].height);
  }
}

TEST("reading: cuts are nested, one cluster fewer at each level, and none beyond the last") {
  const auto reading = reading_of(5);
  const std::size_t last = all_merges(*reading).size();
  auto finer = at_level(*reading, 0);
  CHECK(finer->map.n_clusters() == finer->ph.n_components());
  for (std::size_t level = 1; level <= last; ++level) {
    const auto coarser = at_level(*reading, level);
    CHECK(coarser->map.n_clusters() + 1 == finer->map.n_clusters());
    std::vector<std::int32_t> into(finer->map.n_clusters(), kNone);
    for (std::size_t i = 0; i < reading->nodes.size(); ++i) {
      CHECK((finer->cluster[i] == kNone) == (coarser->cluster[i] == kNone));
      if (finer->cluster[i] == kNone) continue;
      std::int32_t& whole = into[finer->cluster[i]];
      CHECK(whole == kNone || whole == coarser->cluster[i]);
      whole = coarser->cluster[i];
    }
    finer = coarser;
  }
  bool refused = false;
  try {
    at_level(*reading, last + 1);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

TEST("reading: ids are those that the lineage has confirmed, also before its first mapping") {
  Learner learner({3, false, {}});
  const Stream stream = blobs(6, 900, 3, 6);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    learner.learn(stream[i]);
    if (i % 37 != 0) continue;
    const auto reading = learner.reading();
    const std::vector<LivingCluster>& living = learner.state().lineage.living;
    CHECK(reading->cluster_id.size() == reading->map.n_clusters());
    for (const std::int64_t id : reading->cluster_id)
      CHECK(living.empty() ? id != kNone : position_of(id, living) != kNone);
  }
}

TEST("reading: of PHIDA+, every node is a leaf, and any number of clusters is a cut") {
  PlusLearner learner = learner_of<PlusLearner>(blobs(3, 600, 3, 6), {.dims = 3, .max_nodes = 64});
  const auto reading = learner.reading();
  const std::size_t n = reading->nodes.size();
  CHECK(all_merges(*reading).size() == n - 1);
  for (std::size_t level = 0; level < n; ++level)
    CHECK(at_level(*reading, level)->map.n_clusters() == n - level);
  CHECK(at_level(*reading, reading->map.level)->cluster == reading->cluster);
}
