// The check of a state: learned states pass. Tests of model files show that impossible ones are refused by field name.
#include "state/check.hpp"

#include <cmath>

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

TEST("state_check: every state along a stream passes") {
  const auto check = [](const Stream& stream, auto& learner) {
    state::check_invariants(learner.settings(), learner.state());
    for (std::size_t i = 0; i < stream.size(); ++i) {
      learner.learn(stream[i]);
      if (i % 97 == 0) learner.end_learning();
      state::check_invariants(learner.settings(), learner.state());
    }
  };
  for (const Stream& stream : {blobs(1, 400, 3, 4), blobs(2, 400, 5, 3, 1e6), binary(3, 400, 6)}) {
    for (const bool released : {false, true}) {
      Learner learner({stream.dims, released, {}});
      check(stream, learner);
    }
    for (const double half_life : {0.0, 5.0, 300.0})
      for (const Scale scale : {Scale::kAuto, Scale::kStandard, Scale::kNone}) {
        PlusLearner learner({stream.dims, 24, half_life, scale});
        check(stream, learner);
        const PlusState* const others[] = {&learner.state()};
        PlusLearner merged = learner;
        merged.merge(others);
        state::check_invariants(merged.settings(), merged.state());
      }
  }
}

TEST("state_check: weights from small to large pass") {
  const Stream stream = blobs(4, 400, 3, 4);
  Random random(4);
  const FineSettings settings{.dims = 3, .max_nodes = 24};
  PlusLearner learner(settings);
  for (std::size_t i = 0; i < stream.size(); ++i) {
    learner.learn(stream[i], std::pow(10.0, random.uniform(-6.0, 6.0)));
    state::check_invariants(settings, learner.state());
  }
}
