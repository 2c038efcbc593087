// The same stream gives the same bits, whatever happens around it.
#include "check.hpp"
#include "levels.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

struct Case {
  Stream stream;
  Settings settings;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Stream& stream : {blobs(1, 1200, 5, 4), blobs(2, 1200, 9, 4, 1e6), binary(3, 600, 10)})
    for (const bool released : {false, true}) all.push_back({stream, {stream.dims, released, {}}});
  return all;
}

}  // namespace

TEST("learner: the same stream twice, the same state") {
  for (const Case& c : cases())
    CHECK(words_of(learner_of(c.stream, c.settings).state()) ==
          words_of(learner_of(c.stream, c.settings).state()));
}

TEST("learner: a copy that goes on equals the original that goes on") {
  for (const Case& c : cases()) {
    const auto expected = words_of(learner_of(c.stream, c.settings).state());
    for (const std::size_t at : {1, 2, 3, 4, 17, 100, 333}) {
      Learner original(c.settings);
      learn(original, c.stream, 0, at);
      Learner copy = original;
      learn(original, c.stream, at);
      learn(copy, c.stream, at);
      CHECK(words_of(original.state()) == expected);
      CHECK(words_of(copy.state()) == expected);
    }
  }
}

TEST("learner: one made from the state alone goes on to the same bits") {
  for (const Case& c : cases()) {
    const auto expected = words_of(learner_of(c.stream, c.settings).state());
    for (const std::size_t at : {0, 1, 2, 3, 4, 17, 100, 333}) {
      Learner original(c.settings);
      learn(original, c.stream, 0, at);
      Learner restored(c.settings, original.state());
      learn(restored, c.stream, at);
      CHECK(words_of(restored.state()) == expected);
    }
  }
}

TEST("learner: every instruction set level learns the same bits") {
  const LevelGuard guard;
  for (const Case& c : cases()) {
    use_kernels("baseline");
    const auto expected = words_of(learner_of(c.stream, c.settings).state());
    for_each_level([&](const Kernels& k) {
      use_kernels(k.level);
      Learner learner = learner_of(c.stream, c.settings);
      CHECK(words_of(learner.state()) == expected);
    });
  }
}
