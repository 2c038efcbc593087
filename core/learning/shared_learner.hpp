// A learner for several threads: one thread learns at a time, and others may read meanwhile.
//
// A process may fork while threads learn. The fork waits until no row is half learned, and the child's model has the
// rows learned so far. Only the forking thread exists in the child; calls of other threads do not continue there.
//
// If memory runs out while a row is learned, the model is lost: this call and all later ones raise ModelLost.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "assignment/assign.hpp"
#include "lineage/history.hpp"
#include "reading/reading.hpp"

namespace phida {

class ModelLost : public std::runtime_error {
 public:
  ModelLost();
};

// The locks of one learner of any type.
class LearnerLocks {
 public:
  LearnerLocks();
  ~LearnerLocks();
  LearnerLocks(const LearnerLocks&) = delete;
  LearnerLocks& operator=(const LearnerLocks&) = delete;

  // Called around a fork, for all learners of the process.
  static void lock_all();
  static void unlock_all();
  static void unlock_all_in_child();

 protected:
  // Held by the one call that learns. A signal handler may run inside `go_on` and try to learn on the same model.
  // This would deadlock, so it gets an error instead.
  class Turn {
   public:
    Turn(LearnerLocks& locks, const GoOn& go_on);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    bool held() const { return held_; }

   private:
    LearnerLocks& locks_;
    bool held_ = false;
  };

  std::unique_lock<std::mutex> lock_state();

  // Waits until one of the threads waiting for the state has locked it, if there are any. The mutex alone does not
  // ensure this: a thread that unlocks and immediately locks it is faster than a thread that must wake up.
  void give_way() const;

  std::mutex state_;  // held while the state is read or changed

 private:
  std::atomic<std::thread::id> at_work_{};  // thread of the one call that learns, if any
  // number of threads waiting for the state, besides the learning one
  std::atomic<int> waiting_{0};
  std::atomic<unsigned> let_in_{0};  // number of waiting threads that have locked `state_` so far
};

// Raises overflow_error if this many more rows would exceed the limits of a state (state/limits.hpp).
void require_room(std::int64_t n_seen, const Lineage& lineage, const History& history,
                  double n_rows);

template <class L>
class SharedLearner : public LearnerLocks {
 public:
  explicit SharedLearner(L learner) : learner_(std::move(learner)) {}

  const auto& settings() const { return learner_.settings(); }

  // Learns `n` rows in order, by learn_rows(learner, first, count), and returns how many it learned. Calls `go_on` every
  // few milliseconds, also while it waits for another learning thread. The state is not locked during these calls, so
  // readers can proceed. If `go_on` returns false, learning stops, and the rows learned so far are kept.
  template <class LearnRows>
  std::size_t learn(std::size_t n, const GoOn& go_on, LearnRows learn_rows) {
    using Clock = std::chrono::steady_clock;
    constexpr auto kSlice = std::chrono::milliseconds(20);
    const Turn turn(*this, go_on);
    if (!turn.held()) return 0;
    with([&](const L& learner) { check_room(learner, static_cast<double>(n)); });
    for (std::size_t done = 0; done < n;) {
      change([&](L& learner) {
        const auto until = Clock::now() + kSlice;
        do {
          // The time of a row is proportional to nodes times features. Reading the clock costs as much as about a
          // hundred such products.
          const std::size_t cost = settings().dims * (learner.state().nodes.size() + 1);
          const std::size_t between_looks =
              std::clamp<std::size_t>((1u << 16) / cost / kTogether, 1, 64 / kTogether) * kTogether;
          const std::size_t count = std::min(n - done, between_looks);
          learn_rows(learner, done, count);
          done += count;
        } while (done < n && Clock::now() < until);
      });
      if (done < n) {
        if (!go_on()) return done;
        give_way();
      }
    }
    return n;
  }

  // Learns `n` contiguous rows.
  std::size_t learn(const double* rows, std::size_t n, const GoOn& go_on) {
    const std::size_t dims = settings().dims;
    return learn(n, go_on, [&](L& learner, std::size_t first, std::size_t count) {
      if constexpr (kTogether > 1)
        learner.learn_many(rows + first * dims, count);
      else
        for (std::size_t i = first; i < first + count; ++i) learner.learn(rows + i * dims);
    });
  }

  // Changes a copy, which then replaces the learner: readers see the earlier model until the change is complete, and
  // an exception changes nothing. Returns false if `go_on` returned false while another thread was learning.
  template <class Change>
  bool replace(const GoOn& go_on, Change change) {
    const Turn turn(*this, go_on);
    if (!turn.held()) return false;
    L copy = with([](const L& learner) { return learner; });
    change(copy);
    const auto lock = lock_state();
    learner_ = std::move(copy);
    return true;
  }

  // Ends a stage. Returns false if `go_on` returned false while another thread was learning.
  bool end_learning(const GoOn& go_on) {
    const Turn turn(*this, go_on);
    if (!turn.held()) return false;
    with([](const L& learner) { check_room(learner, 0.0); });
    change([](L& learner) { learner.end_learning(); });
    return true;
  }

  // Labels, or lasting ids, of n rows. The learner itself labels a few rows if it can: a reading after every learned
  // row would cost more. Returns false if `go_on` stopped it.
  bool assign(const double* rows, std::size_t n, std::size_t threads, const GoOn& go_on,
              std::int64_t* out) {
    if constexpr (requires(L& l) { l.labels(rows, n, out); })
      if (n <= kFewAsked) {
        ask([&](L& learner) { learner.labels(rows, n, out); });
        return true;
      }
    return phida::assign(*reading(), rows, n, threads, go_on, out);
  }
  bool assign_ids(const double* rows, std::size_t n, std::size_t threads, const GoOn& go_on,
                  std::int64_t* out) {
    if constexpr (requires(L& l) { l.ids(rows, n, out); })
      if (n <= kFewAsked) {
        ask([&](L& learner) { learner.ids(rows, n, out); });
        return true;
      }
    return phida::assign_ids(*reading(), rows, n, threads, go_on, out);
  }

  // Example rows of each cluster.
  auto examples() {
    return ask([](L& learner) { return learner.examples(); });
  }

  // A reading of the model. The result never changes, so it is used without any lock.
  std::shared_ptr<const Reading> reading() {
    return ask([](L& learner) { return learner.reading(); });
  }

  // Calls inspect(learner) while no thread learns.
  template <class Inspect>
  auto with(Inspect inspect) {
    return ask([&](const L& learner) { return inspect(learner); });
  }

 private:
  static constexpr std::size_t kFewAsked = 16;

  // Rows that are learned faster together.
  static constexpr std::size_t kTogether = [] {
    if constexpr (requires { L::kTogether; })
      return L::kTogether;
    else
      return std::size_t{1};
  }();

  // The learner may cache values that it computes for readers.
  template <class Question>
  auto ask(Question question) {
    const auto lock = lock_state();
    if (lost_) throw ModelLost();
    return question(learner_);
  }

  static void check_room(const L& learner, double n_rows) {
    const auto& s = learner.state();
    require_room(s.n_seen, s.lineage, s.history, n_rows);
  }

  // Calls change(learner) while no thread reads. An exception in it may leave a row half learned.
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

  bool lost_ = false;  // guarded by state_
  L learner_;
};

}  // namespace phida
