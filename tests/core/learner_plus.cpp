// Learning of PHIDA+ as a whole: its counts, its readings, its state.
#include <numeric>

#include "check.hpp"
#include "learning/learner.hpp"
#include "state/check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

constexpr std::size_t kDims = 3;

Settings plus(std::size_t max_nodes = 0, double half_life = 0.0) {
  return {.dims = kDims, .max_nodes = max_nodes, .half_life = half_life, .plus = true};
}

std::int64_t counted(const PairStatistics& pairs) {
  std::int64_t total = std::accumulate(pairs.unpaired().begin(), pairs.unpaired().end(), 0LL);
  for (const PairSums& sums : pairs.sorted()) total += sums.count;
  return total;
}

}  // namespace

TEST("plus: every sample that does not become a node is counted, until its winner goes") {
  Learner learner(plus());
  const auto rows = blobs(4, 900, kDims, 7);
  std::int64_t expected = 0;
  bool removed = false;
  for (std::size_t i = 0; i < 900; ++i) {
    const std::size_t before = learner.state().nodes.size();
    learner.learn(rows[i]);
    const Step& step = learner.last_step();
    removed |= learner.state().nodes.size() < before + step.created;
    expected += step.matched && !step.created;
    CHECK(counted(learner.state().nodes.pairs) <= expected);
    if (!removed) CHECK(counted(learner.state().nodes.pairs) == expected);
    if (i % 50 == 0) state::check_invariants(learner.settings(), learner.state());
  }
}

TEST("plus: invariants hold with limits and fading too") {
  for (const Settings& settings : {plus(20), plus(0, 100.0), plus(12, 40.0)}) {
    Learner learner(settings);
    const auto rows = blobs(8, 700, kDims, 5);
    for (std::size_t i = 0; i < 700; ++i) {
      learner.learn(rows[i]);
      if (i % 25 == 0) state::check_invariants(learner.settings(), learner.state());
      if (i % 60 == 0) {
        CHECK(learner.reading(Rule::kGroups)->view.n_clusters() >= 1);
        CHECK(learner.reading(Rule::kParts)->view.n_clusters() >= 1);
      }
    }
  }
}

TEST("plus: a published learner cannot be read by the rules of PHIDA+") {
  Learner learner(Settings{.dims = kDims});
  const auto rows = blobs(1, 50, kDims, 2);
  for (std::size_t i = 0; i < 50; ++i) learner.learn(rows[i]);
  CHECK_THROWS(std::logic_error, learner.reading(Rule::kGroups));
  CHECK(learner.state().nodes.pairs.sorted().empty());
}

TEST("plus: rows in one place are one group") {
  Learner learner(plus());
  const double row[kDims] = {1.0, 2.0, 3.0};
  for (int i = 0; i < 40; ++i) learner.learn(row);
  CHECK(!learner.state().far.present);
  for (const Rule rule : {Rule::kGroups, Rule::kParts})
    CHECK(learner.reading(rule)->view.n_clusters() == 1);
}

TEST("plus: reading by one rule leaves the other's reading and the lineage alone") {
  Learner learner(plus());
  learner.follow(Rule::kGroups);
  const auto rows = blobs(2, 400, kDims, 5);
  for (std::size_t i = 0; i < 400; ++i) learner.learn(rows[i]);
  const auto groups = learner.reading(Rule::kGroups);
  const auto events = learner.state().lineage.events.size();
  const auto parts = learner.reading(Rule::kParts);
  CHECK(learner.reading(Rule::kGroups) == groups && parts != groups);
  CHECK(learner.state().lineage.events.size() == events);
}
