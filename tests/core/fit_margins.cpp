// How well rows fit, without learning them.
#include "nodes/fit_margins.hpp"

#include "check.hpp"
#include "streams.hpp"

using namespace phida;

TEST("fit_margins: the margin of the next sample equals that found by learning") {
  // one scale, so that the metric does not change with age
  const Stream stream = blobs(7, 500, 4, 5);
  Learner learner({4, false, {}});
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const LearnerState& s = learner.state();
    const double vigilance = s.vigilance.threshold;
    double margin = 0.0;
    fit_margins(s.nodes, s.moments, vigilance, stream[i], 1, &margin);
    learner.learn(stream[i]);
    const Step& step = learner.last_step();
    if (!step.matched) {
      CHECK(margin == 0.0);
      continue;
    }
    CHECK(step.gamma == 0.0);
    CHECK(margin == step.winner_similarity - vigilance);
    CHECK(step.created == (margin < 0.0));
  }
}

TEST("recent_margins: only the latest are kept") {
  RecentMargins margins;
  for (int i = 0; i < 3000; ++i) margins.append(i);
  CHECK(margins.values.size() == kMostMargins);
  double sum = 0.0;
  for (const double value : margins.values) sum += value;
  CHECK(sum == (3000.0 - 1 + 3000.0 - kMostMargins) / 2 * kMostMargins);
}

TEST("learner: margins found by learning are kept") {
  const Stream stream = blobs(8, 300, 3, 4, 1e4);
  Learner learner({3, false, {}});
  std::vector<double> found;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    const double vigilance = learner.state().vigilance.threshold;
    learner.learn(stream[i]);
    if (learner.last_step().matched)
      found.push_back(learner.last_step().winner_similarity - vigilance);
  }
  CHECK(learner.state().margins.values == found);
}
