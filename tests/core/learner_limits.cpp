// Learning with max_nodes and half_life, alone and together: bounded, and as exact as without.
#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "levels.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

struct Case {
  Stream stream;
  Settings settings;
};

// Groups that move on for ever.
Stream drifting(std::uint64_t seed, std::size_t n, std::size_t dims, double spread = 1.0) {
  Stream stream = blobs(seed, n, dims, 3, spread);
  for (std::size_t i = 0; i < n; ++i) stream.values[i * dims] += static_cast<double>(i) / 50.0;
  return stream;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  const struct {
    std::size_t max_nodes;
    double half_life;
  } limits[] = {{20, 0.0}, {3, 0.0}, {0, 60.0}, {0, 0.3}, {20, 60.0}, {40, 1e4}};
  for (const Stream& stream :
       {drifting(1, 400, 4), drifting(2, 400, 7, 1e6), binary(3, 300, 9), blobs(4, 400, 5, 4)})
    for (const auto& [max_nodes, half_life] : limits)
      for (const bool released : {false, true})
        all.push_back({stream, {stream.dims, released, {}, max_nodes, half_life}});
  return all;
}

}  // namespace

TEST("learner limits: whatever the stream, the state is bounded") {
  for (const Case& c : cases()) {
    Learner learner(c.settings);
    const std::size_t limit = c.settings.max_nodes;
    for (std::size_t i = 0; i < c.stream.size(); ++i) {
      learner.learn(c.stream[i]);
      const LearnerState& s = learner.state();
      const NodeState& nodes = s.nodes;
      if (limit > 0)
        CHECK(nodes.size() <= limit && s.vigilance.interval <= limit &&
              s.samples.size() <= std::max<std::size_t>(2 * limit, 4));
      CHECK(s.n_seen == static_cast<std::int64_t>(i + 1) && nodes.size() >= 1);
      CHECK(s.moments.count >= 1.0 && s.moments.count <= static_cast<double>(i + 1));
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        CHECK(nodes.support[k] >= (c.settings.half_life > 0.0 ? 0.5 : 1.0));
        CHECK(nodes.component[k] < static_cast<std::int32_t>(s.n_components));
        CHECK(nodes.scale[k] >= 1e-6 && std::isfinite(nodes.scale[k]));
        CHECK(k == 0 || nodes.id[k - 1] < nodes.id[k]);
        for (std::size_t j = 0; j < nodes.dims(); ++j)
          CHECK(std::isfinite(nodes.representative[k][j]) && nodes.m2[k][j] >= 0.0);
      }
    }
  }
}

TEST("learner limits: one made afresh from the state does the same, and readers see the same") {
  for (const Case& c : cases()) {
    Learner learner(c.settings);
    for (std::size_t i = 0; i < c.stream.size(); ++i) {
      Learner fresh(c.settings, learner.state());
      learner.learn(c.stream[i]);
      fresh.learn(c.stream[i]);
      if (words_of(fresh.state()) != words_of(learner.state())) {
        CHECK(!"the fresh learner went another way");
        return;
      }
      if (i % 7 == 0) {
        Learner other(c.settings, learner.state());
        CHECK(words_of(*learner.reading()) == words_of(*other.reading()));
      }
    }
  }
}

TEST("learner limits: reading changes nothing, and shows what the end of learning would") {
  for (const Case& c : cases()) {
    Learner read(c.settings);
    for (std::size_t i = 0; i < c.stream.size(); ++i) {
      read.learn(c.stream[i]);
      const auto before = words_of(read.state());
      const auto seen = words_of(*read.reading());
      CHECK(words_of(read.state()) == before);
      if (i % 13 != 0) continue;
      Learner ended = read;
      ended.end_learning();
      CHECK(words_of(*ended.reading()) == seen);
      const auto once = words_of(ended.state());
      ended.end_learning();
      CHECK(words_of(ended.state()) == once);
    }
    CHECK(words_of(read.state()) == words_of(learner_of(c.stream, c.settings).state()));
  }
}

TEST("learner limits: every instruction set level learns the same bits") {
  const LevelGuard guard;
  for (const Case& c : cases()) {
    use_kernels("baseline");
    const auto expected = words_of(learner_of(c.stream, c.settings).state());
    for_each_level([&](const Kernels& k) {
      use_kernels(k.level);
      CHECK(words_of(learner_of(c.stream, c.settings).state()) == expected);
    });
  }
}

TEST("learner limits: with many features as well") {
  const Stream stream = blobs(3, 150, 600, 5);
  for (const bool released : {false, true}) {
    const Settings settings{stream.dims, released, {}, 12, 80.0};
    Learner learner(settings);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      Learner fresh(settings, learner.state());
      learner.learn(stream[i]);
      fresh.learn(stream[i]);
      CHECK(words_of(fresh.state()) == words_of(learner.state()));
    }
    CHECK(learner.state().n_created > 12);
  }
}

TEST("learner limits: under every ablation") {
  const Stream stream = drifting(9, 250, 4);
  for (int mask = 0; mask < 32; ++mask) {
    const Settings settings{
        4,
        false,
        {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0, (mask & 16) != 0},
        10,
        50.0};
    Learner learner(settings);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      Learner fresh(settings, learner.state());
      learner.learn(stream[i]);
      fresh.learn(stream[i]);
      CHECK(words_of(fresh.state()) == words_of(learner.state()));
    }
    learner.end_learning();
    CHECK(learner.state().nodes.size() <= 10);
  }
}

TEST("learner limits: a limit that is never reached changes nothing") {
  const Stream stream = blobs(5, 800, 4, 4);
  CHECK(words_of(learner_of(stream, {4, false, {}, 1000}).state()) ==
        words_of(learner_of(stream, {4, false, {}}).state()));
}

TEST("learner limits: where old samples fade, the stream's spread does not grow with its way") {
  const Stream stream = drifting(6, 4000, 4);
  const auto largest = [](const Learner& learner) {
    const std::vector<double>& scale = learner.state().nodes.scale;
    return *std::max_element(scale.begin(), scale.end());
  };
  CHECK(largest(learner_of(stream, {4, false, {}})) > 20.0);
  CHECK(largest(learner_of(stream, {4, false, {}, 0, 100.0})) < 12.0);
}
