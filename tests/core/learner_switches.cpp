// The paper's ablations.
#include <stdexcept>

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

Learner with(const Switches& switches, bool released = false) {
  const Stream stream = blobs(1, 1500, 4, 5);
  return learner_of(stream, {4, released, switches});
}

}  // namespace

TEST("switches: every combination learns, ends and reads") {
  const Stream stream = blobs(2, 300, 4, 4, 1e4);
  for (int mask = 0; mask < 64; ++mask) {
    const Switches switches{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0,
                            (mask & 16) != 0};
    Learner learner = learner_of(stream, {4, (mask & 32) != 0, switches});
    CHECK(learner.state().n_seen == 300);
    learner.end_learning();
    CHECK(learner.state().ended == switches.mapping);
    if (switches.mapping) {
      CHECK(learner.reading()->view.n_clusters() >= 1);
    } else {
      CHECK_THROWS(std::logic_error, learner.reading());
    }
  }
}

TEST("switches: without PH every input node is its own component") {
  Learner learner = with({.ph = false});
  const auto reading = learner.reading();
  std::size_t input = 0;
  for (const std::uint8_t in : reading->ph.input) input += in;
  CHECK(reading->ph.n_components() == input);
}

TEST("switches: without refresh there is no map before the end") {
  Learner learner = with({.refresh = false});
  CHECK(!learner.state().has_map && learner.state().n_components == 0);
  learner.end_learning();
  CHECK(learner.state().has_map && learner.state().n_components > 0);
}

TEST("switches: without removal every created node stays") {
  Learner learner = with({.remove = false});
  learner.end_learning();
  CHECK(static_cast<std::int64_t>(learner.state().nodes.size()) == learner.state().n_created);
}

TEST("switches: without pruning every candidate is in the PH input") {
  Learner learner = with({.prune = false});
  for (const std::uint8_t in : learner.reading()->ph.input) CHECK(in == 1);
}

TEST("switches: without mapping there is no map") {
  const Learner learner = with({.mapping = false});
  CHECK(!learner.state().has_map && learner.state().n_clusters == 0);
}
