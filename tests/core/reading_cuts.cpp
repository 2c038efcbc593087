// Other cuts of a reading's hierarchy.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "plain.hpp"
#include "reading/size_tree.hpp"
#include "streams.hpp"

using namespace phida;

TEST("reading: cuts are nested, with one cluster fewer per level, and end at the last merge") {
  const auto reading = learner_of(blobs(5, 600, 3, 6), {3, false, {}}).reading();
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
  CHECK_THROWS(std::invalid_argument, at_level(*reading, last + 1));
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
        const double cost = weight[i] * weight[j] / (weight[i] + weight[j]) *
                            plain::square(position[i], position[j], nullptr, 2);
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
