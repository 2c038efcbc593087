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

TEST("plus_learner: the same stream twice, and a continued copy, give the same state") {
  for (const Case& c : cases()) {
    const auto expected = words_of(learned(c).state());
    CHECK(words_of(learned(c).state()) == expected);
    for (const std::size_t at : {0, 1, 2, 39, 40, 41, 100}) {
      PlusLearner original(c.settings);
      learn(original, c.stream, 0, at);
      PlusLearner copy = original, restored(c.settings, original.state());
      for (PlusLearner* const learner : {&original, &copy, &restored}) {
        learn(*learner, c.stream, at);
        CHECK(words_of(learner->state()) == expected);
      }
    }
  }
}

TEST("plus_learner: every instruction set level learns and reads the same bits") {
  const LevelGuard guard;
  for (const Case& c : cases()) {
    use_kernels("baseline");
    PlusLearner plain = learned(c);
    for_each_level([&](const Kernels& k) {
      use_kernels(k.level);
      PlusLearner learner = learned(c);
      CHECK(words_of(learner.state()) == words_of(plain.state()));
      CHECK(words_of(*learner.reading()) == words_of(*plain.reading()));
    });
  }
}

TEST("plus_learner: reading after every row changes nothing") {
  for (const Case& c : cases()) {
    PlusLearner learner(c.settings);
    for (std::size_t i = 0; i < c.stream.size(); ++i) {
      learner.learn(c.stream[i]);
      if (i % 7 == 0) learner.reading();
    }
    CHECK(words_of(learner.state()) == words_of(learned(c).state()));
  }
}

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

TEST("plus_learner: two distant groups are two clusters, with and without compaction") {
  for (const std::size_t max_nodes : {64, 2048}) {
    Random random(5);
    PlusLearner learner({.dims = 2, .max_nodes = max_nodes});
    for (int i = 0; i < 1000; ++i) {
      const double row[2] = {random.normal() + (i % 2 ? 100.0 : 0.0), random.normal()};
      learner.learn(row);
    }
    learner.end_learning();
    CHECK(learner.reading()->map.n_clusters() == 2);
    CHECK(learner.state().lineage.living.size() == 2);
  }
}

TEST("plus_learner: a row of weight w equals w rows at one place") {
  PlusLearner once({.dims = 1}), often({.dims = 1});
  for (const double x : {1.0, 2.0, 5.0}) {
    once.learn(&x, 4.0);
    for (int i = 0; i < 4; ++i) often.learn(&x);
  }
  CHECK(once.state().nodes.weight == often.state().nodes.weight);
  CHECK(once.state().n_seen == 3 && often.state().n_seen == 12);
  CHECK(once.reading()->cluster == often.reading()->cluster);
}

TEST("plus_learner: degenerate streams have at least one cluster") {
  const auto check = [](const Stream& stream, std::size_t n_clusters = 0) {
    for (const double half_life : {0.0, 20.0}) {
      PlusLearner learner({.dims = stream.dims, .max_nodes = 8, .half_life = half_life});
      for (std::size_t i = 0; i < stream.size(); ++i) {
        learner.learn(stream[i]);
        if (i < 20) CHECK(learner.reading()->map.n_clusters() >= 1);
      }
      const auto reading = learner.reading();
      CHECK(reading->map.n_clusters() >= 1);
      CHECK(n_clusters == 0 || reading->map.n_clusters() == n_clusters);
      for (const double margin : learner.state().margins.values)
        CHECK(margin >= -1.0 && margin <= 0.0);
    }
  };
  check(blobs(1, 1, 3, 1), 1);
  check(blobs(2, 2, 3, 1));
  check(Stream{2, std::vector<double>(1000, 1.5)}, 1);
  Stream constant = blobs(6, 300, 3, 3), huge = blobs(8, 300, 3, 3), tiny = huge;
  for (std::size_t i = 0; i < constant.size(); ++i) constant.values[i * 3 + 1] = 7.0;
  for (double& x : huge.values) x *= 5e138;
  for (double& x : tiny.values) x *= 1e-200;
  for (const Stream& stream : {constant, huge, tiny, blobs(7, 300, 1, 3), binary(9, 300, 2)})
    check(stream);
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

TEST("plus_learner: merging two models equals learning the rows of both, in either order") {
  for (const double half_life : {0.0, 100.0}) {
    const FineSettings settings{.dims = 3, .max_nodes = 32, .half_life = half_life};
    const PlusLearner a = learner_of<PlusLearner>(blobs(11, 300, 3, 3), settings),
                      b = learner_of<PlusLearner>(blobs(12, 200, 3, 3), settings);
    PlusLearner ab = a, ba = b;
    const PlusState* const with_b[] = {&b.state()};
    const PlusState* const with_a[] = {&a.state()};
    ab.merge(with_b);
    ba.merge(with_a);
    CHECK(ab.state().n_seen == 500 && ab.state().ended);
    CHECK(ab.reading()->cluster == ba.reading()->cluster);
    if (half_life == 0.0) {
      Words from_a, from_b;
      add_fine(from_a, ab.state());
      add_fine(from_b, ba.state());
      CHECK(from_a.words == from_b.words);
    }
    for (const std::int64_t id : ab.reading()->cluster_id) CHECK(id < ab.state().lineage.n_ids);
    learn(ab, blobs(13, 50, 3, 3));
    CHECK(ab.state().n_seen == 550);
  }
}

TEST("plus_learner: merging no model, or an empty one, changes no node") {
  const FineSettings settings{.dims = 3, .max_nodes = 32};
  const PlusLearner empty(settings);
  PlusLearner learner = learner_of<PlusLearner>(blobs(14, 300, 3, 3), settings);
  const std::vector<std::int32_t> before = learner.reading()->cluster;
  const PlusState* const others[] = {&empty.state()};
  learner.merge(others);
  CHECK(learner.state().n_seen == 300 && learner.reading()->map.n_clusters() >= 1);
  CHECK(learner.reading()->cluster.size() == before.size());
  PlusLearner still_empty(settings);
  still_empty.merge(others);
  CHECK(still_empty.state().n_seen == 0 && !still_empty.state().ended);
}
