// A learner that several threads may use: learning is exclusive, reading goes on beside it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "learning/learner.hpp"

namespace phida {

class SharedLearner {
 public:
  explicit SharedLearner(Learner learner) : learner_(std::move(learner)) {}

  const Settings& settings() const { return learner_.settings(); }

  // Learns `n` rows in order and returns how many it learned. Every few milliseconds, also while it waits for another
  // thread that learns, it asks `go_on`, with no lock on the state held, so that readers get in; if that says no, it
  // stops, and what was learned stays.
  std::size_t learn(const double* rows, std::size_t n, const std::function<bool()>& go_on);

  // What workers found out about rows against this state: takes in what they counted, in the order given, and learns
  // the rest. All of it or, if `go_on` says no, none of it; false then.
  bool apply(std::span<const LocalUpdate> updates, const std::function<bool()>& go_on);

  // Ends a stage. False if `go_on` said no while another thread was learning.
  bool end_learning(const std::function<bool()>& go_on);

  // The model as if learning had just ended. What it returns never changes, so it is used without any lock.
  std::shared_ptr<const Reading> reading(Rule rule = Rule::kPublished);

  // The rule whose clusters the lineage follows from now on.
  void follow(Rule rule) {
    const std::lock_guard<std::mutex> lock(state_);
    learner_.follow(rule);
  }

  // Calls inspect(learner) while nobody learns.
  template <class Inspect>
  auto with(Inspect inspect) {
    const std::lock_guard<std::mutex> lock(state_);
    return inspect(static_cast<const Learner&>(learner_));
  }

 private:
  class Turn;

  std::mutex learning_;  // one call that learns at a time; held for the whole call
  std::mutex state_;     // held while the state is read or changed; taken after learning_
  std::atomic<std::thread::id> at_work_{};
  Learner learner_;
};

}  // namespace phida
