// Values that the learner caches between samples must not show: a learner made from the saved state does the same.
#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

void check_stream(const Stream& stream, bool released, const Switches& switches = {}) {
  const Settings settings{stream.dims, released, switches};
  Learner learner(settings);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    Learner fresh(settings, learner.state());
    learner.learn(stream[i]);
    fresh.learn(stream[i]);
    if (words_of(fresh.state()) != words_of(learner.state())) {
      CHECK(!"the fresh learner went another way");
      return;
    }
  }
}

}  // namespace

TEST("learner caches: same results as a fresh learner on groups") {
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    check_stream(blobs(seed, 500, 2 + 3 * seed, 4), seed % 2);
}

TEST("learner caches: same results with gamma above and around 0") {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    check_stream(blobs(seed, 400, 5, 3, seed < 3 ? 1e6 : 6.0), seed % 2);
}

TEST("learner caches: same results on binary data, where a similarity may equal the vigilance") {
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    check_stream(binary(seed, 120, 3 + seed % 14), seed % 2);
}

TEST("learner caches: same results under every ablation") {
  const Stream stream = blobs(9, 250, 4, 4);
  for (int mask = 0; mask < 32; ++mask)
    check_stream(
        stream, false,
        {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0, (mask & 16) != 0});
}

TEST("learner caches: values cached for readers change no result") {
  for (const Stream& stream : {blobs(1, 300, 4, 4), binary(2, 200, 9)}) {
    const Settings settings{stream.dims, false, {}};
    Learner learner(settings);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      learner.learn(stream[i]);
      Learner fresh(settings, learner.state());
      CHECK(words_of(*learner.reading()) == words_of(*fresh.reading()));
    }
  }
}

TEST("learner caches: with many features, rows waiting to be transformed change no result") {
  const Stream stream = blobs(3, 150, 600, 5);
  for (const bool mapping : {true, false}) {
    Settings settings{stream.dims, true, {}};
    settings.switches.mapping = mapping;
    Learner learner(settings);
    std::size_t waited = 0;
    for (std::size_t i = 0; i < stream.size(); ++i) {
      LearnerState state = learner.state();
      const FeatureTransform& transform = state.metric.transform;
      if (state.metric.present && state.transformed.rows() == 0) {
        state.transformed.resize(state.nodes.size());
        for (std::size_t node = 0; node < state.nodes.size(); ++node)
          for (std::size_t j = 0; j < stream.dims; ++j)
            state.transformed[node][j] = state.nodes.representative[node][j] - transform.center[j];
        ++waited;
      }
      Learner eager(settings, state);
      learner.learn(stream[i]);
      eager.learn(stream[i]);
      Words waiting, written;
      state::node_fields(waiting, learner.state().nodes, 0);
      state::node_fields(written, eager.state().nodes, 0);
      CHECK(waiting.words == written.words);
    }
    CHECK(waited > 20);
  }
}
