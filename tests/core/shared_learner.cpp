#include "learning/shared_learner.hpp"

#include <stdexcept>
#include <thread>

#include "assignment/assign.hpp"
#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

bool always() { return true; }

template <class L>
std::vector<std::uint64_t> words_of(SharedLearner<L>& shared) {
  return shared.with([](const L& learner) { return phida::words_of(learner.state()); });
}

// More rows than are learned before the first call of `go_on`.
Stream long_stream() { return blobs(1, 60000, 20, 30); }

}  // namespace

TEST("shared_learner: any chunking gives the same bits") {
  const auto check = [&](const auto& empty) {
    const Stream stream = blobs(2, 1000, empty.settings().dims, 4);
    auto whole = empty;
    learn(whole, stream);
    const auto expected = phida::words_of(whole.state());
    for (const std::size_t chunk : {1, 7, 64, 65, 999, 1000}) {
      SharedLearner shared{empty};
      for (std::size_t i = 0; i < stream.size(); i += chunk) {
        const std::size_t n = std::min(chunk, stream.size() - i);
        CHECK(shared.learn(stream[i], n, always) == n);
      }
      CHECK(words_of(shared) == expected);
    }
  };
  check(Learner({4, false, {}}));
  for (const std::size_t dims : {4, 9, 100}) {  // from 7 features on rows are searched together
    check(PlusLearner({.dims = dims, .max_nodes = 64}));
    check(PlusLearner({.dims = dims, .max_nodes = 64, .half_life = 100.0}));
  }
}

TEST("shared_learner: learning no rows is allowed") {
  SharedLearner shared{Learner({3, false, {}})};
  CHECK(shared.learn(nullptr, 0, always) == 0);
  shared.end_learning([] { return true; });
  CHECK_THROWS(std::logic_error, shared.reading());
}

TEST("shared_learner: stops if go_on returns false, and keeps the learned rows") {
  const Stream stream = long_stream();
  SharedLearner shared{Learner({stream.dims, false, {}})};
  const std::size_t learned = shared.learn(stream[0], stream.size(), [] { return false; });
  CHECK(learned > 0 && learned < stream.size());
  CHECK(shared.with([](const Learner& l) { return l.state().n_seen; }) ==
        static_cast<std::int64_t>(learned));
  // Learning continues to the same state.
  Learner plain({stream.dims, false, {}});
  learn(plain, stream, 0, learned + 50);
  CHECK(shared.learn(stream[learned], 50, always) == 50);
  CHECK(words_of(shared) == phida::words_of(plain.state()));
}

TEST("shared_learner: learning from inside its own go_on throws, reading there works") {
  const Stream stream = long_stream();
  SharedLearner shared{Learner({stream.dims, false, {}})};
  bool asked = false;
  shared.learn(stream[0], stream.size(), [&] {
    asked = true;
    CHECK_THROWS(std::logic_error, shared.learn(stream[0], 1, always));
    CHECK_THROWS(std::logic_error, shared.end_learning([] { return true; }));
    CHECK(shared.reading()->view.n_clusters() >= 1);
    return false;
  });
  CHECK(asked);
  shared.end_learning([] { return true; });  // the model is unlocked again
  CHECK(shared.with([](const Learner& l) { return l.state().ended; }));
}

TEST("shared_learner: an exception from go_on leaves the model usable") {
  const Stream stream = long_stream();
  SharedLearner shared{Learner({stream.dims, false, {}})};
  CHECK_THROWS(std::runtime_error, shared.learn(stream[0], stream.size(), []() -> bool {
    throw std::runtime_error("stop");
  }));
  CHECK(shared.learn(stream[0], 1, always) == 1);
}

TEST("shared_learner: two models may learn inside one another") {
  const Stream stream = long_stream();
  SharedLearner outer{Learner({stream.dims, false, {}})}, inner{Learner({stream.dims, false, {}})};
  outer.learn(stream[0], stream.size(), [&] {
    CHECK(inner.learn(stream[0], 10, always) == 10);
    return false;
  });
  CHECK(inner.with([](const Learner& l) { return l.state().n_seen; }) == 10);
}

TEST("shared_learner: learning threads take turns, reading threads see consistent models") {
  const Stream stream = blobs(3, 4000, 6, 5);
  SharedLearner shared{Learner({stream.dims, false, {}})};
  shared.learn(stream[0], 1, always);
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0}, readings{0};
  const auto read = [&] {
    do {
      const auto reading = shared.reading();
      Assigner assigner(reading->view);
      for (std::size_t i = 0; i < 20; ++i) {
        const std::int32_t label = assigner.label(stream[i]);
        wrong += label < 0 || label >= static_cast<std::int32_t>(reading->view.n_clusters());
      }
      wrong += reading->cluster.size() != reading->nodes.size();
      ++readings;
      std::this_thread::yield();
    } while (!done);
  };
  const auto teach = [&](std::size_t from) {
    for (std::size_t i = from; i < from + 1000; i += 100) {
      shared.learn(stream[i], 100, always);
      if (i % 300 == 0) shared.end_learning([] { return true; });
    }
  };
  std::vector<std::thread> readers, teachers;
  for (int r = 0; r < 2; ++r) readers.emplace_back(read);
  for (std::size_t t = 0; t < 3; ++t) teachers.emplace_back(teach, 1000 * t);
  for (std::thread& t : teachers) t.join();
  done = true;
  for (std::thread& r : readers) r.join();
  CHECK(wrong == 0 && readings > 0);
  CHECK(shared.with([](const Learner& l) { return l.state().n_seen; }) == 3001);
}

TEST("shared_learner: replace installs the changed copy, and an exception changes nothing") {
  const Stream stream = blobs(5, 300, 3, 3);
  const FineSettings settings{.dims = 3, .max_nodes = 32};
  SharedLearner shared{PlusLearner(settings)};
  shared.learn(stream[0], 100, always);
  const auto before = words_of(shared);
  CHECK_THROWS(std::runtime_error, shared.replace(always, [&](PlusLearner& copy) {
    learn(copy, stream, 100);
    throw std::runtime_error("stop");
  }));
  CHECK(words_of(shared) == before);
  const auto change = [&](PlusLearner& copy) {
    learn(copy, stream, 100);
    CHECK(words_of(shared) == before);  // readers still see the old model
    CHECK_THROWS(std::logic_error, shared.learn(stream[0], 1, always));
  };
  CHECK(shared.replace(always, change));
  CHECK(words_of(shared) == phida::words_of(learner_of<PlusLearner>(stream, settings).state()));
}

TEST("shared_learner: rows beyond the limit of the counter are refused") {
  PlusState state = learner_of<PlusLearner>(blobs(6, 10, 2, 1), {.dims = 2}).state();
  state.n_seen = std::int64_t{1} << 53;
  SharedLearner shared{PlusLearner({.dims = 2}, state)};
  const double row[2] = {0.0, 0.0};
  CHECK_THROWS(std::overflow_error, shared.learn(row, 1, always));
}
