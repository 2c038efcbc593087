// The check of a state: learned states pass; impossible ones are refused by field name.
#include "state/check.hpp"

#include <limits>
#include <string>

#include "check.hpp"
#include "state/limits.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The field for which a changed state is refused, or nothing.
template <class Change>
std::string refused(const PlusLearner& learner, Change change) {
  auto state = learner.state();
  change(state);
  try {
    state::check_invariants(learner.settings(), state);
  } catch (const state::FieldError& error) {
    const std::string text = error.what();
    return text.substr(1, text.find('\'', 1) - 1);
  }
  return "";
}

// After several compactions, and with a lineage.
const PlusLearner& plus_learned() {
  static const PlusLearner learner =
      learner_of<PlusLearner>(blobs(6, 500, 3, 5), {.dims = 3, .max_nodes = 32});
  return learner;
}

}  // namespace

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

TEST("state_check: numbers of PHIDA+ outside their ranges are refused") {
  const auto refuses = [](auto change) { return refused(plus_learned(), change); };
  CHECK(refuses([](auto& s) { s.nodes.mean[0][0] = 1.7e308; }) == "mean");
  CHECK(refuses([](auto& s) { s.nodes.mean[1][2] = std::nan(""); }) == "mean");
  CHECK(refuses([](auto& s) { s.nodes.scatter[1][0] = -1.0; }) == "scatter");
  CHECK(refuses([](auto& s) { s.nodes.scatter[1][0] = kInfinity; }) == "scatter");
  CHECK(refuses([](auto& s) { s.nodes.weight[0] = 0.0; }) == "weight");
  CHECK(refuses([](auto& s) { s.nodes.weight[0] = kInfinity; }) == "weight");
  CHECK(refuses([](auto& s) { s.nodes.credit[0] = -1.0; }) == "credit");
  CHECK(refuses([](auto& s) { s.nodes.gap[0] = std::nan(""); }) == "gap");
  CHECK(refuses([](auto& s) { s.nodes.birth[0] = s.n_seen + 1; }) == "birth");
  CHECK(refuses([](auto& s) { s.allowance = std::nan(""); }) == "allowance");
  CHECK(refuses([](auto& s) { s.unit = 0.0; }) == "unit");
  CHECK(refuses([](auto& s) { s.metric.inverse[0] = -1.0; }) == "metric_inverse");
  CHECK(refuses([](auto& s) { s.metric.gamma = 2.0; }) == "metric_gamma");
  CHECK(refuses([](auto& s) { s.n_seen = INT64_MAX; }) == "n_seen");
  CHECK(refuses([](auto& s) { s.unplaced = -1.0; }) == "unplaced");
}

TEST("state_check: contradictions between fields of PHIDA+ are refused") {
  const auto refuses = [](auto change) { return refused(plus_learned(), change); };
  CHECK(refuses([](auto& s) { s.nodes.weight.push_back(1.0); }) == "mean");
  CHECK(refuses([](auto& s) { s.nodes.credit.pop_back(); }) == "credit");
  CHECK(refuses([](auto& s) { s.nodes.lineage.won.pop_back(); }) == "node_won");
  CHECK(refuses([](auto& s) { s.nodes.id[1] = s.nodes.id[0]; }) == "id");
  CHECK(refuses([](auto& s) { s.nodes.id.back() = s.n_created; }) == "id");
  CHECK(refuses([](auto& s) { s.n_created = s.n_seen + 1; }) == "n_created");
  CHECK(refuses([](auto& s) { s.n_created = 1; }) == "n_created");
  CHECK(refuses([](auto& s) { s.unit = 2.0; }) == "unit");  // without a half-life
  CHECK(refuses([](auto& s) { s.mapped_at = s.n_seen + 1; }) == "mapped_at");
  CHECK(refuses([](auto& s) { s.unplaced = 1e4; }) == "unplaced");
  CHECK(refuses([](auto& s) { s.nodes.lineage.cluster_id[0] = s.lineage.n_ids; }) == "cluster_id");
  CHECK(refuses([](auto& s) { s.nodes.lineage.won_mapped[0] = s.nodes.lineage.won[0] + 1; }) ==
        "node_won_mapped");
  CHECK(refuses([](auto& s) { s.margins.next = 7; }) == "margins_next");
  CHECK(refuses([](auto& s) {
          FineNodes all(3);
          for (int i = 0; i < 32; ++i) all.append(s.nodes.mean[0], 1.0, 0, i);
          s.nodes = all;
        }) == "max_nodes");
}
