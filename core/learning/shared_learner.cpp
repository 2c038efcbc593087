#include "learning/shared_learner.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace phida {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kSlice = std::chrono::milliseconds(20);

// Waits for the mutex and asks `go_on` as it waits. A timed mutex would do the same, but ThreadSanitizer does not know
// how GCC's waits and reports every use of it.
bool wait_for(std::mutex& mutex, const std::function<bool()>& go_on) {
  constexpr int kYields = 100, kAskEvery = 20;
  for (int tries = 1; !mutex.try_lock(); ++tries) {
    if (tries < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (tries % kAskEvery == 0 && !go_on()) return false;
    }
  }
  return true;
}

}  // namespace

// Holds learning_. A signal handler that runs inside `go_on` and tries to learn on the same model would wait for
// itself for ever; it gets an error instead.
class SharedLearner::Turn {
 public:
  Turn(SharedLearner& shared, const std::function<bool()>& go_on) : shared_(shared) {
    if (shared.at_work_.load() == std::this_thread::get_id())
      throw std::logic_error("this model is learning already, further up in the same thread");
    held_ = wait_for(shared.learning_, go_on);
    if (held_) shared.at_work_.store(std::this_thread::get_id());
  }
  ~Turn() {
    if (!held_) return;
    shared_.at_work_.store(std::thread::id{});
    shared_.learning_.unlock();
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
  for (std::size_t done = 0; done < n;) {
    {
      const std::lock_guard<std::mutex> lock(state_);
      const auto until = Clock::now() + kSlice;
      do {
        // A row costs time in proportion to nodes and features; a look at the clock, about a hundred of them.
        const std::size_t cost = dims * (learner_.state().nodes.size() + 1);
        const std::size_t between_looks = std::clamp<std::size_t>((1u << 16) / cost, 1, 64);
        for (const std::size_t look = std::min(n, done + between_looks); done < look; ++done)
          learner_.learn(rows + done * dims);
      } while (done < n && Clock::now() < until);
    }
    if (done < n && !go_on()) return done;
  }
  return n;
}

bool SharedLearner::apply(std::span<const LocalUpdate> updates,
                          const std::function<bool()>& go_on) {
  const Turn turn(*this, go_on);
  if (!turn.held()) return false;
  // Learned by a copy: who reads meanwhile sees the model from before, and stopping half way leaves it as it was.
  Learner copy = with([](const Learner& learner) { return learner; });
  for (const LocalUpdate& update : updates)
    if (update.made_against != copy.mark() || update.plus != copy.settings().plus)
      throw std::invalid_argument(
          "the update was made against another state of the model; make it anew with local_update");
  // Where nothing was counted, the rest is all there is, and it is learned as any rows are.
  const bool counted = std::any_of(updates.begin(), updates.end(),
                                   [](const LocalUpdate& update) { return update.counted() > 0; });
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
  const std::lock_guard<std::mutex> lock(state_);
  learner_ = std::move(copy);
  return true;
}

bool SharedLearner::end_learning(const std::function<bool()>& go_on) {
  const Turn turn(*this, go_on);
  if (!turn.held()) return false;
  const std::lock_guard<std::mutex> lock(state_);
  learner_.end_learning();
  return true;
}

std::shared_ptr<const Reading> SharedLearner::reading(Rule rule) {
  const std::lock_guard<std::mutex> lock(state_);
  return learner_.reading(rule);
}

}  // namespace phida
