// Properties that hold after every sample of any stream.
#include <cmath>
#include <stdexcept>

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

void check_invariants(const Learner& learner, std::int64_t learned) {
  const LearnerState& s = learner.state();
  const NodeState& nodes = s.nodes;
  const std::size_t n = nodes.size();
  CHECK(s.n_seen == learned &&
        s.moments.count == static_cast<double>(learned));  // each sample counts exactly once
  CHECK(n >= 1 && s.n_created >= static_cast<std::int64_t>(n));
  CHECK(nodes.representative.rows() == n && nodes.mean.rows() == n && nodes.m2.rows() == n);
  CHECK(nodes.scale.size() == n && nodes.active.size() == n && nodes.component.size() == n);
  for (std::size_t i = 0; i < n; ++i) {
    CHECK(nodes.support[i] >= 1.0 && nodes.support[i] == std::floor(nodes.support[i]));
    CHECK(nodes.scale[i] >= 1e-6 && std::isfinite(nodes.scale[i]));
    CHECK(nodes.component[i] >= kNone &&
          nodes.component[i] < static_cast<std::int32_t>(s.n_components));
    CHECK(i == 0 || (nodes.id[i - 1] < nodes.id[i] && nodes.birth[i - 1] < nodes.birth[i]));
    for (std::size_t j = 0; j < nodes.dims(); ++j)
      CHECK(std::isfinite(nodes.representative[i][j]) && nodes.m2[i][j] >= 0.0);
    for (std::size_t j = nodes.dims(); j < nodes.mean.stride(); ++j)
      CHECK(nodes.representative[i][j] == 0.0 && nodes.mean[i][j] == 0.0 && nodes.m2[i][j] == 0.0);
  }
  CHECK(s.vigilance.interval >= 2);
  CHECK(s.vigilance.threshold >= 0.0 && s.vigilance.threshold <= 1.0);
  CHECK(s.vigilance.ratio >= 0.0 && s.vigilance.ratio <= 1.0);
  CHECK(s.samples.kept() == 0 || s.samples.size() <= 2 * s.vigilance.interval);
  CHECK(s.n_clusters <= s.n_components && s.n_components <= n);
}

void check_stream(const Stream& stream) {
  for (const bool released : {false, true}) {
    Learner learner({stream.dims, released, {}});
    for (std::size_t i = 0; i < stream.size(); ++i) {
      learner.learn(stream[i]);
      check_invariants(learner, static_cast<std::int64_t>(i + 1));
    }
    learner.end_learning();
    check_invariants(learner, static_cast<std::int64_t>(stream.size()));
  }
}

}  // namespace

TEST("learner: invariants hold on groups") { check_stream(blobs(1, 1500, 4, 5)); }

TEST("learner: invariants hold on features of different scales") {
  check_stream(blobs(2, 1500, 9, 5, 1e6));
}

TEST("learner: invariants hold on binary data") { check_stream(binary(3, 800, 12)); }

TEST("learner: the first three samples become nodes, the first two with one scale") {
  const Stream stream = blobs(4, 3, 2, 1);
  Learner learner({2, false, {}});
  learn(learner, stream, 0, 2);
  CHECK(learner.state().nodes.size() == 2);
  CHECK(learner.state().nodes.scale[0] == learner.state().nodes.scale[1]);
  learn(learner, stream, 2, 3);
  CHECK(learner.state().nodes.size() == 3 && learner.last_step().created &&
        !learner.last_step().matched);
}

TEST("learner: ids of removed nodes are not reused") {
  const Stream stream = blobs(0, 3000, 10, 5);
  const Learner learner = learner_of(stream, {10, false, {}});
  const LearnerState& s = learner.state();
  CHECK(s.n_created > static_cast<std::int64_t>(s.nodes.size()));  // some nodes were removed
  CHECK(s.nodes.id.back() < s.n_created);
}

TEST("learner: a reading needs samples and the mapping") {
  Learner empty({3, false, {}});
  CHECK_THROWS(std::logic_error, empty.reading());
  Learner unmapped = learner_of(blobs(1, 50, 3, 2), {3, false, {.mapping = false}});
  CHECK_THROWS(std::logic_error, unmapped.reading());
}
