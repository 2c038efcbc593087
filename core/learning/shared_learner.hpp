// A learner that several threads may use: one thread learns at a time, and others may read meanwhile.
//
// A process may fork while threads learn. The fork waits until no row is half learned, and the child has the model with
// the rows learned so far. The child has only the thread that forked; calls of the other threads do not go on there.
//
// If memory runs out while a row is learned, the model is lost: this call and all later ones raise ModelLost.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "learning/learner.hpp"

namespace phida {

class ModelLost : public std::runtime_error {
 public:
  ModelLost();
};

class SharedLearner {
 public:
  explicit SharedLearner(Learner learner);
  ~SharedLearner();
  SharedLearner(const SharedLearner&) = delete;
  SharedLearner& operator=(const SharedLearner&) = delete;

  const Settings& settings() const { return learner_.settings(); }

  // Learns `n` rows in order and returns how many it learned. Calls `go_on` every few milliseconds, also while it waits
  // for another thread that learns. The state is not locked during this call, so readers can proceed. If `go_on`
  // returns false, learning stops, and the rows learned so far stay learned.
  std::size_t learn(const double* rows, std::size_t n, const std::function<bool()>& go_on);

  // Applies the updates of workers for this state: adds their statistics, in the given order, and learns the rest. If
  // `go_on` returns false, nothing changes, and the result is false. Updates come from elsewhere, so `check` sees the
  // new state before it replaces the old one, and may throw to reject it.
  bool apply(
      std::span<const LocalUpdate> updates, const std::function<bool()>& go_on,
      const std::function<void(const Learner&)>& check = [](const Learner&) {});

  // Ends a stage. False if `go_on` said no while another thread was learning.
  bool end_learning(const std::function<bool()>& go_on);

  // The model as if learning had just ended. What it returns never changes, so it is used without any lock.
  std::shared_ptr<const Reading> reading(Rule rule = Rule::kPublished);

  // The rule whose clusters the lineage follows from now on.
  void follow(Rule rule) {
    const auto lock = lock_state();
    learner_.follow(rule);
  }

  // Around a fork, for all learners of the process.
  static void lock_all();
  static void unlock_all();
  static void unlock_all_in_child();

  // Calls inspect(learner) while nobody learns.
  template <class Inspect>
  auto with(Inspect inspect) {
    const auto lock = lock_state();
    if (lost_) throw ModelLost();
    return inspect(static_cast<const Learner&>(learner_));
  }

 private:
  class Turn;

  std::unique_lock<std::mutex> lock_state() {
    waiting_.fetch_add(1);
    std::unique_lock<std::mutex> lock(state_);
    waiting_.fetch_sub(1);
    let_in_.fetch_add(1);
    return lock;
  }

  // Waits until one of the threads that wait for the state has got it, if there are any. The mutex alone does not
  // ensure this: a thread that unlocks it and locks it again at once is faster than a thread that has to wake up.
  void give_way() const;

  // Calls change(learner) while nobody reads. An exception in it may leave a row half learned.
  template <class Change>
  void change(Change change) {
    const std::lock_guard<std::mutex> lock(state_);
    if (lost_) throw ModelLost();
    try {
      change(learner_);
    } catch (const std::bad_alloc&) {
      lost_ = true;
      throw ModelLost();
    }
  }

  std::atomic<std::thread::id> at_work_{};  // of the one call that learns, if any
  std::mutex state_;                        // held while the state is read or changed
  std::atomic<int> waiting_{0};      // how many threads wait for it, beside the one that learns
  std::atomic<unsigned> let_in_{0};  // how many of them got it so far
  bool lost_ = false;                // guarded by state_
  Learner learner_;
};

}  // namespace phida
