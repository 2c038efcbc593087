// PHIDA+: the same rows give the same bits, and reading changes nothing.
#include "learning/plus_learner.hpp"

#include <set>
#include <stdexcept>

#include "assignment/assign.hpp"
#include "check.hpp"
#include "learning/shared_learner.hpp"
#include "levels.hpp"
#include "reading/summaries.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

struct Case {
  Stream stream;
  FineSettings settings;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Stream& stream :
       {blobs(1, 500, 3, 4), blobs(2, 500, 5, 3, 1e6), binary(3, 400, 6), blobs(4, 150, 100, 3)})
    for (const double half_life : {0.0, 60.0})
      all.push_back({stream, {.dims = stream.dims, .max_nodes = 40, .half_life = half_life}});
  return all;
}

PlusLearner learned(const Case& c) { return learner_of<PlusLearner>(c.stream, c.settings); }

}  // namespace

TEST("plus_learner: a reading is cached until the next row, and never changes") {
  const Case c = cases()[0];
  PlusLearner learner = learned(c);
  const auto first = learner.reading();
  const auto words = words_of(*first);
  CHECK(learner.reading() == first);
  learn(learner, c.stream, 0, 100);
  CHECK(learner.reading() != first && words_of(*first) == words);
}

TEST("plus_learner: the end of learning maps the nodes once") {
  for (const Case& c : cases()) {
    PlusLearner learner = learned(c);
    learner.end_learning();
    CHECK(learner.state().ended && learner.state().mapped_at == learner.state().n_seen);
    const auto state = words_of(learner.state());
    learner.end_learning();
    CHECK(words_of(learner.state()) == state);
    learner.learn(c.stream[0]);
    CHECK(!learner.state().ended);
  }
}

TEST("plus_learner: the lineage does not influence learning") {
  const Case c = cases()[0];
  PlusLearner often(c.settings);
  for (std::size_t i = 0; i < c.stream.size(); ++i) {
    often.learn(c.stream[i]);
    often.end_learning();
  }
  Words expected, got;
  add_fine(expected, learned(c).state());
  add_fine(got, often.state());
  CHECK(expected.words == got.words);
}

TEST("plus_learner: single labels and ids equal those of the reading at any time") {
  for (const Case& c : cases()) {
    PlusLearner learner(c.settings);
    Random random(7);
    for (std::size_t i = 0; i < c.stream.size(); ++i) {
      learner.learn(c.stream[i]);
      const std::size_t first = random.below(c.stream.size() - 4);
      std::int64_t few[4], ids[4];
      learner.labels(c.stream[first], 4, few);
      learner.ids(c.stream[first], 4, ids);
      if (i % 5 != 0) continue;
      const auto reading = learner.reading();
      Assigner assigner(reading->view);
      for (std::size_t r = 0; r < 4; ++r) {
        CHECK(few[r] == assigner.label(c.stream[first + r]));
        CHECK(ids[r] == reading->cluster_id[few[r]]);
      }
    }
  }
}

TEST("plus_learner: a late group is a cluster soon after its first rows") {
  Random random(8);
  PlusLearner learner({.dims = 2, .max_nodes = 256});
  const auto learn_at = [&](double x) {
    const double row[] = {x + random.normal(), random.normal()};
    learner.learn(row);
  };
  for (int i = 0; i < 20000; ++i) learn_at(i % 2 ? 20.0 : 0.0);
  CHECK(learner.reading()->map.n_clusters() == 2);
  int rows = 0;
  while (learner.reading()->map.n_clusters() == 2 && rows < 1000) {
    learn_at(200.0);
    ++rows;
  }
  CHECK(rows <= 128);
}

TEST("plus_learner: without rows there is nothing to read or to end") {
  PlusLearner learner({.dims = 3});
  learner.end_learning();
  CHECK(!learner.state().ended);
  CHECK_THROWS(std::logic_error, learner.reading());
}

TEST("plus_learner: a faded node is in the cluster of its nearest unfaded node") {
  const FineSettings settings{.dims = 1, .max_nodes = 64, .half_life = 4.0};
  PlusLearner learner(settings);
  for (int i = 0; i < 20; ++i) {
    const double x = i;
    learner.learn(&x);
  }
  learner.end_learning();
  CHECK(unfaded(4.0, learner.state()).size() == 5 && learner.state().map.map.n_leaves == 5);
  const auto reading = learner.reading();
  CHECK(reading->nodes.size() == 20);
  for (std::size_t i = 0; i < 15; ++i) CHECK(reading->cluster[i] == reading->cluster[15]);
}

TEST("plus_learner: clusters, labels and ids of a reading agree") {
  for (const Case& c : cases()) {
    PlusLearner learner = learned(c);
    learner.end_learning();
    const auto reading = learner.reading();
    const std::size_t n_clusters = reading->map.n_clusters();
    CHECK(reading->view.n_clusters() == n_clusters);
    std::set<std::int32_t> used(reading->cluster.begin(), reading->cluster.end());
    CHECK(used.size() == n_clusters && *used.begin() == 0);
    CHECK(reading->nodes.component == reading->cluster);
    Assigner assigner(reading->view);
    // A row at a node has the node's cluster; nodes at one place go to the lowest index.
    for (std::size_t i = 0; i < reading->nodes.size(); ++i) {
      const double* const row = reading->nodes.representative[i];
      std::size_t first = 0;
      while (!std::equal(row, row + c.stream.dims, reading->nodes.representative[first])) ++first;
      CHECK(assigner.label(row) == reading->cluster[first]);
    }
    for (const std::int64_t id : reading->cluster_id)
      CHECK(position_of(id, learner.state().lineage.living) != kNone);
  }
}

TEST("plus_learner: margins of learned rows equal those of a reading") {
  const Stream stream = blobs(10, 60, 3, 3);
  PlusLearner learner({.dims = 3, .max_nodes = 2048, .scale = Scale::kNone});
  learner.learn(stream[0]);
  for (std::size_t i = 1; i < stream.size(); ++i) {
    double margin = 0.0;
    margins_of(*learner.reading(), stream[i], 1, &margin);
    learner.learn(stream[i]);
    CHECK_CLOSE(learner.state().margins.values.back(), margin, 1e-12);
  }
}
