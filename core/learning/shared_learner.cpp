#include "learning/shared_learner.hpp"

#include <algorithm>
#include <chrono>
#include <unordered_set>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace phida {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSlice = std::chrono::milliseconds(20);

// Waits until no other call learns, then marks this thread as the learning one. Asks `go_on` while it waits.
bool wait_for(std::atomic<std::thread::id>& at_work, const std::function<bool()>& go_on) {
  constexpr int kYields = 100, kAskEvery = 20;
  for (int tries = 1;; ++tries) {
    std::thread::id nobody;
    if (at_work.compare_exchange_strong(nobody, std::this_thread::get_id())) return true;
    if (tries < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (tries % kAskEvery == 0 && !go_on()) return false;
    }
  }
}

// All learners of the process. Never destroyed: a learner may outlive every static object.
struct Registry {
  std::mutex mutex;
  std::unordered_set<SharedLearner*> learners;
};

Registry& registry() {
  static Registry* const all = [] {
#if __has_include(<pthread.h>)
    pthread_atfork(SharedLearner::lock_all, SharedLearner::unlock_all,
                   SharedLearner::unlock_all_in_child);
#endif
    return new Registry;
  }();
  return *all;
}

// A call of this many rows would count beyond what states may hold (state/limits.hpp).
void require_room(const Learner& learner, double n_rows) {
  constexpr double kMost = 0x1p53, kMostPerCall = 0x1p40;
  const LearnerState& s = learner.state();
  if (static_cast<double>(s.n_seen) + n_rows > kMost)
    throw std::overflow_error("a model learns at most 2^53 rows");
  for (const std::int64_t count : {s.lineage.n_ids, s.lineage.n_dropped, s.history.n_refreshes})
    if (static_cast<double>(count) > kMost - kMostPerCall)
      throw std::overflow_error("a model has at most 2^53 cluster ids, events and refreshes");
}

}  // namespace

ModelLost::ModelLost()
    : std::runtime_error(
          "memory ran out while a row was learned, and the model is lost; load it from its file or "
          "fit it again") {}

SharedLearner::SharedLearner(Learner learner) : learner_(std::move(learner)) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.learners.insert(this);
}

SharedLearner::~SharedLearner() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.learners.erase(this);
}

// No thread that holds one of these locks waits for another of them.
void SharedLearner::lock_all() {
  registry().mutex.lock();
  for (SharedLearner* const learner : registry().learners) learner->state_.lock();
}

void SharedLearner::unlock_all() {
  for (SharedLearner* const learner : registry().learners) learner->state_.unlock();
  registry().mutex.unlock();
}

void SharedLearner::unlock_all_in_child() {
  // The thread that forked is the only one here.
  for (SharedLearner* const learner : registry().learners) {
    learner->waiting_.store(0);
    if (learner->at_work_.load() != std::this_thread::get_id())
      learner->at_work_.store(std::thread::id{});
  }
  unlock_all();
}

void SharedLearner::give_way() const {
  const unsigned before = let_in_.load();
  while (waiting_.load() > 0 && let_in_.load() == before) std::this_thread::yield();
}

// Held by the one call that learns. A signal handler may run inside `go_on` and try to learn on the same model. It
// would wait for itself forever, so it gets an error instead.
class SharedLearner::Turn {
 public:
  Turn(SharedLearner& shared, const std::function<bool()>& go_on) : shared_(shared) {
    if (shared.at_work_.load() == std::this_thread::get_id())
      throw std::logic_error("this model is learning already, further up in the same thread");
    held_ = wait_for(shared.at_work_, go_on);
  }
  ~Turn() {
    if (held_) shared_.at_work_.store(std::thread::id{});
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  bool held() const { return held_; }

 private:
  SharedLearner& shared_;
  bool held_ = false;
};

std::size_t SharedLearner::learn(const double* rows, std::size_t n,
                                 const std::function<bool()>& go_on) {
  const Turn turn(*this, go_on);
  if (!turn.held()) return 0;
  const std::size_t dims = learner_.settings().dims;
  with([&](const Learner& learner) { require_room(learner, static_cast<double>(n)); });
  for (std::size_t done = 0; done < n;) {
    change([&](Learner& learner) {
      const auto until = Clock::now() + kSlice;
      do {
        // The time of a row is proportional to nodes times features. Reading the clock costs as much as about a hundred
        // such products.
        const std::size_t cost = dims * (learner.state().nodes.size() + 1);
        const std::size_t between_looks = std::clamp<std::size_t>((1u << 16) / cost, 1, 64);
        for (const std::size_t look = std::min(n, done + between_looks); done < look; ++done)
          learner.learn(rows + done * dims);
      } while (done < n && Clock::now() < until);
    });
    if (done < n) {
      if (!go_on()) return done;
      give_way();
    }
  }
  return n;
}

bool SharedLearner::apply(std::span<const LocalUpdate> updates, const std::function<bool()>& go_on,
                          const std::function<void(const Learner&)>& check) {
  const Turn turn(*this, go_on);
  if (!turn.held()) return false;
  // A copy learns. Meanwhile readers see the model from before, and stopping half way leaves that model unchanged.
  Learner copy = with([](const Learner& learner) { return learner; });
  for (const LocalUpdate& update : updates)
    if (update.made_against != copy.mark() || update.plus != copy.settings().plus)
      throw std::invalid_argument(
          "the update was made against another state of the model; make it anew with local_update");
  // Where nothing was counted, the rest is all there is, and it is learned as any rows are.
  const bool counted = std::any_of(updates.begin(), updates.end(),
                                   [](const LocalUpdate& update) { return update.counted() > 0; });
  // An update from for_sending(last=False) has no window.
  if (counted && updates.back().vigilance.samples.size() == 0)
    throw std::invalid_argument(
        "the last update has no window of the vigilance; make it with for_sending(last=True)");
  double n_rows = 0.0;
  for (const LocalUpdate& update : updates) n_rows += static_cast<double>(update.n_rows());
  require_room(copy, n_rows);
  const RecentMargins margins_before = copy.state().margins;
  const FarSamples far_before = copy.state().far;
  if (counted) copy.fold(updates);
  auto ask = Clock::now() + kSlice;
  for (const LocalUpdate& update : updates) {
    for (std::size_t i = 0; i < update.rest.rows(); ++i) {
      if (counted)
        copy.learn_rest(update.rest[i], {update.threshold[i], update.log_theta[i]});
      else
        copy.learn(update.rest[i]);
      if (Clock::now() < ask) continue;
      if (!go_on()) return false;
      ask = Clock::now() + kSlice;
    }
  }
  if (counted) copy.take_over(updates, margins_before, far_before);
  check(copy);
  const auto lock = lock_state();
  learner_ = std::move(copy);
  return true;
}

bool SharedLearner::end_learning(const std::function<bool()>& go_on) {
  const Turn turn(*this, go_on);
  if (!turn.held()) return false;
  with([](const Learner& learner) { require_room(learner, 0.0); });
  change([](Learner& learner) { learner.end_learning(); });
  return true;
}

std::shared_ptr<const Reading> SharedLearner::reading(Rule rule) {
  const auto lock = lock_state();
  if (lost_) throw ModelLost();
  return learner_.reading(rule);
}

}  // namespace phida
