#include "learning/shared_learner.hpp"

#include <unordered_set>

#if __has_include(<pthread.h>)
#include <pthread.h>
#endif

namespace phida {
namespace {

// Waits until no other call learns, then marks this thread as the learning one. Calls `go_on` while it waits.
bool wait_for(std::atomic<std::thread::id>& at_work, const GoOn& go_on) {
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

// The locks of all learners of the process. Never destroyed: a learner may outlive every static object.
struct Registry {
  std::mutex mutex;
  std::unordered_set<LearnerLocks*> learners;
};

Registry& registry() {
  static Registry* const all = [] {
#if __has_include(<pthread.h>)
    pthread_atfork(LearnerLocks::lock_all, LearnerLocks::unlock_all,
                   LearnerLocks::unlock_all_in_child);
#endif
    return new Registry;
  }();
  return *all;
}

}  // namespace

ModelLost::ModelLost()
    : std::runtime_error(
          "memory ran out while a row was learned, and the model is lost; load it from its file or "
          "fit it again") {}

void require_room(std::int64_t n_seen, const Lineage& lineage, const History& history,
                  double n_rows) {
  constexpr double kMost = 0x1p53, kMostPerCall = 0x1p40;
  if (n_rows > kMost - static_cast<double>(n_seen))
    throw std::overflow_error("a model learns at most 2^53 rows");
  for (const std::int64_t count : {lineage.n_ids, lineage.n_dropped, history.n_refreshes})
    if (static_cast<double>(count) > kMost - kMostPerCall)
      throw std::overflow_error("a model has at most 2^53 cluster ids, events and refreshes");
}

LearnerLocks::LearnerLocks() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.learners.insert(this);
}

LearnerLocks::~LearnerLocks() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.learners.erase(this);
}

// No thread that holds one of these locks waits for another of them.
void LearnerLocks::lock_all() {
  registry().mutex.lock();
  for (LearnerLocks* const learner : registry().learners) learner->state_.lock();
}

void LearnerLocks::unlock_all() {
  for (LearnerLocks* const learner : registry().learners) learner->state_.unlock();
  registry().mutex.unlock();
}

void LearnerLocks::unlock_all_in_child() {
  // Only the forking thread exists here.
  for (LearnerLocks* const learner : registry().learners) {
    learner->waiting_.store(0);
    if (learner->at_work_.load() != std::this_thread::get_id())
      learner->at_work_.store(std::thread::id{});
  }
  unlock_all();
}

std::unique_lock<std::mutex> LearnerLocks::lock_state() {
  waiting_.fetch_add(1);
  std::unique_lock<std::mutex> lock(state_);
  waiting_.fetch_sub(1);
  let_in_.fetch_add(1);
  return lock;
}

void LearnerLocks::give_way() const {
  const unsigned before = let_in_.load();
  while (waiting_.load() > 0 && let_in_.load() == before) std::this_thread::yield();
}

LearnerLocks::Turn::Turn(LearnerLocks& locks, const GoOn& go_on) : locks_(locks) {
  if (locks.at_work_.load() == std::this_thread::get_id())
    throw std::logic_error("this model is learning already, further up in the same thread");
  held_ = wait_for(locks.at_work_, go_on);
}

LearnerLocks::Turn::~Turn() {
  if (held_) locks_.at_work_.store(std::thread::id{});
}

}  // namespace phida
