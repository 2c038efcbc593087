// PHIDA+: the same rows give the same bits, and reading changes nothing.
#include "learning/plus_learner.hpp"

#include <stdexcept>

#include "assignment/assign.hpp"
#include "check.hpp"
#include "reading/summaries.hpp"
#include "streams.hpp"

using namespace phida;

TEST("plus_learner: a reading is cached until the next row, and never changes") {
  const Stream stream = blobs(1, 500, 3, 4);
  const FineSettings settings{.dims = 3, .max_nodes = 40};
  PlusLearner learner = learner_of<PlusLearner>(stream, settings);
  const auto first = learner.reading();
  const auto words = words_of(*first);
  CHECK(learner.reading() == first);
  learn(learner, stream, 0, 100);
  CHECK(learner.reading() != first && words_of(*first) == words);
}

TEST("plus_learner: the lineage does not influence learning") {
  const Stream stream = blobs(1, 500, 3, 4);
  const FineSettings settings{.dims = 3, .max_nodes = 40};
  PlusLearner often(settings);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    often.learn(stream[i]);
    often.end_learning();
  }
  const auto learned = [](const PlusState& s) {
    Words w;
    w.add_rows(s.nodes.mean);
    w.add_rows(s.nodes.scatter);
    w.add_all(s.nodes.weight);
    w.add_all(s.nodes.credit);
    w.add_all(s.metric.inverse);
    for (const double x : {s.metric.gamma, s.allowance, s.unit}) w.add(x);
    return w.words;
  };
  CHECK(learned(often.state()) == learned(learner_of<PlusLearner>(stream, settings).state()));
}

TEST("plus_learner: rows learned together with counts equal rows learned one by one") {
  for (const std::size_t dims : {2, 12, 110}) {
    const Stream stream = blobs(5, 700, dims, 3);
    Random random(9);
    std::vector<double> counts;
    for (std::size_t i = 0; i < stream.size(); ++i) counts.push_back(random.uniform(0.5, 3.0));
    const FineSettings settings{.dims = dims, .max_nodes = 60, .half_life = 200.0};
    PlusLearner single(settings), together(settings);
    for (std::size_t i = 0; i < stream.size(); ++i) single.learn(stream[i], counts[i]);
    together.learn_many(stream[0], stream.size(), counts.data());
    CHECK(words_of(single.state()) == words_of(together.state()));
  }
}

TEST("plus_learner: single labels and ids equal those of the reading at any time") {
  for (const Stream& stream : {blobs(1, 500, 3, 4), blobs(2, 500, 5, 3, 1e6), binary(3, 400, 6)})
    for (const double half_life : {0.0, 60.0}) {
      PlusLearner learner({.dims = stream.dims, .max_nodes = 40, .half_life = half_life});
      Random random(7);
      for (std::size_t i = 0; i < stream.size(); ++i) {
        learner.learn(stream[i]);
        const std::size_t first = random.below(stream.size() - 4);
        std::int64_t few[4], ids[4];
        learner.labels(stream[first], 4, few);
        learner.ids(stream[first], 4, ids);
        if (i % 5 != 0) continue;
        const auto reading = learner.reading();
        Assigner assigner(reading->view);
        for (std::size_t r = 0; r < 4; ++r) {
          CHECK(few[r] == assigner.label(stream[first + r]));
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
