// Other cuts of a reading's hierarchy.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "reading/size_tree.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

std::shared_ptr<const Reading> reading_of(std::uint64_t seed) {
  return learner_of(blobs(seed, 600, 3, 6), {3, false, {}}).reading();
}

}  // namespace

TEST("reading: the reading's own cut is among the cuts") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto reading = reading_of(seed);
    const auto same = at_level(*reading, reading->ph.hierarchy.level);
    CHECK(same->cluster == reading->cluster);
    CHECK(same->cluster_id == reading->cluster_id);
    CHECK(same->view.cluster_support == reading->view.cluster_support);
    CHECK(same->view.concentration == reading->view.concentration);
  }
}

TEST("reading: merges below the minimum count begin with the merges down to it") {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const auto reading = reading_of(seed);
    const std::vector<Merge> some = reading->ph.hierarchy.merges, all = all_merges(*reading);
    CHECK(all.size() >= some.size());
    for (std::size_t l = 0; l < some.size(); ++l)
      CHECK(all[l].into == some[l].into && all[l].from == some[l].from &&
            all[l].height == some[l].height);
  }
}

TEST("reading: cuts are nested, with one cluster fewer per level, and end at the last merge") {
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

TEST("reading: ids are those confirmed by the lineage, also before its first mapping") {
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

TEST("reading: in PHIDA+ every node is a leaf, and any number of clusters can be cut") {
  PlusLearner learner = learner_of<PlusLearner>(blobs(3, 600, 3, 6), {.dims = 3, .max_nodes = 64});
  const auto reading = learner.reading();
  const std::size_t n = reading->nodes.size();
  CHECK(all_merges(*reading).size() == n - 1);
  for (std::size_t level = 0; level < n; ++level)
    CHECK(at_level(*reading, level)->map.n_clusters() == n - level);
  CHECK(at_level(*reading, reading->map.level)->cluster == reading->cluster);
}

TEST("reading: by size, clusters of PHIDA+ stay whole, and cuts are nested") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    PlusLearner learner =
        learner_of<PlusLearner>(blobs(seed, 900, 3, 6), {.dims = 3, .max_nodes = 64});
    const auto reading = learner.reading();
    const auto tree = by_size(*reading);
    const std::size_t n = reading->nodes.size();
    CHECK(tree->map.merges.size() == n - 1);
    CHECK(at_level(*tree, reading->map.level)->cluster == reading->cluster);
    auto finer = at_level(*tree, 0);
    for (std::size_t level = 1; level < n; ++level) {
      const auto coarser = at_level(*tree, level);
      CHECK(coarser->map.n_clusters() == n - level);
      std::vector<std::int32_t> into(finer->map.n_clusters(), kNone);
      for (std::size_t i = 0; i < n; ++i) {
        std::int32_t& whole = into[finer->cluster[i]];
        CHECK(whole == kNone || whole == coarser->cluster[i]);
        whole = coarser->cluster[i];
      }
      finer = coarser;
    }
  }
}

TEST("reading: by size, inner merges join the cheapest pairs") {
  PlusLearner learner = learner_of<PlusLearner>(blobs(4, 400, 2, 1), {.dims = 2, .max_nodes = 32});
  const auto reading = learner.reading();
  CHECK(reading->map.n_clusters() == 1);
  const std::size_t n = reading->nodes.size();
  RowMatrix position = places(*reading);
  std::vector<double> weight = reading->nodes.support;
  std::vector<std::uint8_t> alive(n, 1);
  const auto tree = by_size(*reading);
  for (const Merge& merge : tree->map.merges) {
    double least = -1.0;
    std::size_t a = 0, b = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j) {
        if (!alive[i] || !alive[j]) continue;
        double square = 0.0;
        for (std::size_t k = 0; k < 2; ++k)
          square += (position[i][k] - position[j][k]) * (position[i][k] - position[j][k]);
        const double cost = weight[i] * weight[j] / (weight[i] + weight[j]) * square;
        if (least < 0.0 || cost < least) {
          least = cost;
          a = i;
          b = j;
        }
      }
    CHECK(merge.into == static_cast<std::int32_t>(a) && merge.from == static_cast<std::int32_t>(b));
    CHECK(std::abs(merge.height - least) <= 1e-9 * least);
    for (std::size_t k = 0; k < 2; ++k)
      position[a][k] =
          (weight[a] * position[a][k] + weight[b] * position[b][k]) / (weight[a] + weight[b]);
    weight[a] += weight[b];
    alive[b] = 0;
  }
}

TEST("reading: by size, a small cluster joins its neighbour before two large ones join") {
  Stream stream{2, {}};
  double shift = 0.0;
  for (const std::size_t rows : {400, 400, 30}) {
    const Stream part = blobs(5, rows, 2, 1);
    for (std::size_t i = 0; i < rows; ++i)
      stream.values.insert(stream.values.end(), {part[i][0] + shift, part[i][1]});
    shift += 100.0;
  }
  PlusLearner learner = learner_of<PlusLearner>(stream, {.dims = 2});
  learner.end_learning();
  const auto reading = learner.reading();
  CHECK(reading->map.n_clusters() == 3);
  const auto two = at_level(*by_size(*reading), reading->nodes.size() - 2);
  std::vector<double> support(2, 0.0);
  for (std::size_t i = 0; i < reading->nodes.size(); ++i)
    support[two->cluster[i]] += reading->nodes.support[i];
  CHECK(support[0] == 400.0 && support[1] == 430.0);
}
