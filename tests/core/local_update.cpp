#include "learning/local_update.hpp"

#include <cmath>

#include "check.hpp"
#include "learning/learner.hpp"
#include "learning/shared_learner.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

bool always() { return true; }

// A learner that has settled on blobs, and more of the same.
struct Settled {
  Stream stream = blobs(5, 3000, 4, 5);
  Learner learner{{4, false, {}}};

  Settled() { learn(learner, stream, 0, 1000); }
  const double* more() const { return stream[1000]; }
};

}  // namespace

TEST("local_update: every row is counted or in the rest, and the model is not touched") {
  const Settled s;
  const auto before = words_of(s.learner.state());
  const LocalUpdate update = s.learner.local_update(s.more(), 2000, 50, 7);
  CHECK(update.n_rows() == 2000);
  CHECK(update.counted() > 1000);
  double wins = 0;
  for (const double n : update.nodes.wins) wins += n;
  CHECK(wins == update.moments.count);
  CHECK(update.rest.rows() >= 50);
  CHECK(words_of(s.learner.state()) == before);
}

TEST("local_update: with a sample of all rows, applying is learning") {
  const Settled s;
  SharedLearner shared{s.learner};
  const std::vector<LocalUpdate> updates{s.learner.local_update(s.more(), 900, 900, 1),
                                         s.learner.local_update(s.stream[1900], 1100, 5000, 2)};
  CHECK(shared.apply(updates, always));
  Learner plain = s.learner;
  learn(plain, s.stream, 1000);
  CHECK(shared.with([](const Learner& l) { return words_of(l.state()); }) ==
        words_of(plain.state()));
}

TEST("local_update: before there are three nodes nothing is counted") {
  const Stream stream = blobs(6, 40, 3, 2);
  Learner learner({3, false, {}});
  const LocalUpdate update = learner.local_update(stream[0], 40, 0, 0);
  CHECK(update.rest.rows() == 40);
  CHECK(update.counted() == 0);
}

TEST("local_update: two halves add up to the whole") {
  const Settled s;
  const NodeState& nodes = s.learner.state().nodes;
  // A vigilance that every row passes, and too far to the next recalculation to change it.
  VigilanceState from(4);
  from.vigilance.interval = 5000;
  const FrozenModel model{nodes, s.learner.state().moments, true, 0.1, 0, from};
  const LocalUpdate whole[] = {local_update(model, s.more(), 2000, 0, 0)};
  const LocalUpdate halves[] = {local_update(model, s.more(), 700, 0, 0),
                                local_update(model, s.stream[1700], 1300, 0, 0)};
  NodeState one = nodes, two = nodes;
  fold_nodes(whole, one);
  fold_nodes(halves, two);
  CHECK(whole[0].counted() == 2000);
  CHECK(one.support == two.support);
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t j = 0; j < one.dims(); ++j) {
      CHECK(std::abs(one.representative[i][j] - two.representative[i][j]) < 1e-12);
      CHECK(std::abs(one.mean[i][j] - two.mean[i][j]) < 1e-12);
      CHECK(std::abs(one.m2[i][j] - two.m2[i][j]) < 1e-8);
    }
}

TEST("local_update: where nodes stand still anyway, the vigilance goes as in a stream") {
  const Settled s;
  const LocalUpdate update = s.learner.local_update(s.more(), 1, 0, 0);
  Learner plain = s.learner;
  plain.learn(s.more());
  const VigilanceState& v = update.vigilance;
  CHECK(v.samples.size() == plain.state().samples.size());
  CHECK(v.since_recalculation == plain.state().since_recalculation);
  CHECK(v.vigilance.interval == plain.state().vigilance.interval);
}

TEST("local_update: moments of two parts are those of the whole") {
  Moments moments(2), folded(2), more(2);
  const Stream stream = blobs(8, 20, 2, 1);
  AlignedDoubles row(padded(2), 0.0);
  for (std::size_t i = 0; i < 20; ++i) {
    std::copy_n(stream[i], 2, row.begin());
    moments.add(row.data());
    (i < 8 ? folded : more).add(row.data());
  }
  fold_moments(more, folded);
  CHECK(folded.count == moments.count);
  for (std::size_t j = 0; j < 2; ++j) {
    CHECK(std::abs(folded.mean[j] - moments.mean[j]) < 1e-12);
    CHECK(std::abs(folded.m2[j] - moments.m2[j]) < 1e-9);
  }
  CHECK(std::abs(folded.scale() - moments.scale()) < 1e-12);
}

TEST("local_update: what was made against another state is refused, and nothing is learned") {
  const Settled s;
  const std::vector<LocalUpdate> updates{s.learner.local_update(s.more(), 100, 10, 0)};
  SharedLearner shared{s.learner};
  CHECK(shared.learn(s.more(), 1, always) == 1);
  const auto before = shared.with([](const Learner& l) { return words_of(l.state()); });
  CHECK_THROWS(std::invalid_argument, shared.apply(updates, always));
  CHECK(shared.with([](const Learner& l) { return words_of(l.state()); }) == before);
}

TEST("local_update: stopped half way, it has learned nothing") {
  const Stream stream = blobs(1, 60000, 20, 30);
  Learner learner({20, false, {}});
  learn(learner, stream, 0, 100);
  const std::vector<LocalUpdate> updates{learner.local_update(stream[100], 59900, 59900, 0)};
  SharedLearner shared{learner};
  const auto before = words_of(learner.state());
  CHECK(!shared.apply(updates, [] { return false; }));
  CHECK(shared.with([](const Learner& l) { return words_of(l.state()); }) == before);
}
