// Reading shows the model as after the end of learning, and changes nothing.
#include <stdexcept>

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

TEST("learner: reading after every sample changes nothing") {
  for (const Stream& stream : {blobs(1, 400, 4, 4), blobs(2, 400, 7, 4, 1e6), binary(3, 300, 9)})
    for (const bool released : {false, true}) {
      const Settings settings{stream.dims, released, {}};
      Learner read(settings);
      for (std::size_t i = 0; i < stream.size(); ++i) {
        read.learn(stream[i]);
        const auto before = words_of(read.state());
        read.reading();
        CHECK(words_of(read.state()) == before);
      }
      CHECK(words_of(read.state()) == words_of(learner_of(stream, settings).state()));
    }
}

TEST("learner: readings before and after the end of learning are equal") {
  for (std::size_t n : {1, 2, 3, 4, 10, 100, 777}) {
    Learner learner = learner_of(blobs(4, n, 4, 4), {4, false, {}});
    const auto before = words_of(*learner.reading());
    learner.end_learning();
    CHECK(words_of(*learner.reading()) == before);
  }
}

TEST("learner: a reading is cached until the next sample, and never changes") {
  const Stream stream = blobs(5, 300, 3, 3);
  Learner learner = learner_of(stream, {3, false, {}});
  const auto first = learner.reading();
  const auto words = words_of(*first);
  CHECK(learner.reading() == first);
  learn(learner, stream, 0, 100);
  CHECK(learner.reading() != first);
  CHECK(words_of(*first) == words);
}

TEST("learner: ending twice equals ending once, and a sample begins a new stage") {
  const Stream stream = blobs(6, 500, 3, 3);
  Learner once = learner_of(stream, {3, false, {}});
  once.end_learning();
  Learner twice = once;
  twice.end_learning();
  CHECK(words_of(once.state()) == words_of(twice.state()) && once.state().ended);
  once.learn(stream[0]);
  CHECK(!once.state().ended);
}

TEST("learner: without samples there is nothing to read or to end") {
  Learner learner({3, false, {}});
  learner.end_learning();
  CHECK(!learner.state().ended);
  CHECK_THROWS(std::logic_error, learner.reading());
}

TEST("learner: clusters are unions of components, and unmapped nodes have none") {
  Learner learner = learner_of(blobs(7, 1500, 3, 6), {3, false, {}});
  const auto reading = learner.reading();
  std::vector<std::int32_t> of_component(reading->ph.n_components(), kNone);
  for (std::size_t i = 0; i < reading->nodes.size(); ++i) {
    const std::int32_t component = reading->nodes.component[i], cluster = reading->cluster[i];
    CHECK((component == kNone) == (cluster == kNone));
    if (component == kNone) continue;
    CHECK(of_component[component] == kNone || of_component[component] == cluster);
    of_component[component] = cluster;
  }
}
