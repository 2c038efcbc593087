// An online system that several threads may read while one learns.
//
// A system is a class with
//   System(dims, Settings)      its parameters are the struct System::Settings
//   learn(row)                  one sample
//   assign(rows, n, labels)     the cluster of each row
//   n_seen(), n_nodes(), n_clusters(), dims()
// and, if the stages of the stream matter to it,
//   begin_call(rows, n), end_call().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace phida::systems {

template <class System>
class SharedSystem {
 public:
  explicit SharedSystem(System system) : system_(std::move(system)) {}

  // Learns `n` rows in order, as one call, and returns how many it learned. Every few milliseconds it calls `go_on`
  // without holding a lock. If `go_on` returns false, the call ends; the rows learned so far stay learned.
  std::size_t learn(const double* rows, std::size_t n, const std::function<bool()>& go_on) {
    const Turn turn(at_work_);
    change([&](System& system) {
      if constexpr (requires { system.begin_call(rows, n); }) system.begin_call(rows, n);
    });
    std::size_t done = 0;
    while (done < n) {
      change([&](System& system) { learn_slice(system, rows, n, done); });
      if (done < n && !go_on()) break;
    }
    change([](System& system) {
      if constexpr (requires { system.end_call(); }) system.end_call();
    });
    return done;
  }

  // Calls inspect(system) between two slices of learning.
  template <class Inspect>
  auto with(Inspect inspect) {
    const std::lock_guard<std::mutex> lock(state_);
    return inspect(static_cast<const System&>(system_));
  }

 private:
  // Only one call learns at a time: interleaving two streams would produce a third one.
  class Turn {
   public:
    explicit Turn(std::atomic<bool>& at_work) : at_work_(at_work) {
      if (at_work_.exchange(true)) throw std::logic_error("this model is learning already");
    }
    ~Turn() { at_work_.store(false); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<bool>& at_work_;
  };

  template <class Change>
  void change(Change change) {
    const std::lock_guard<std::mutex> lock(state_);
    change(system_);
  }

  static void learn_slice(System& system, const double* rows, std::size_t n, std::size_t& done) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + std::chrono::milliseconds(20);
    do system.learn(rows + done++ * system.dims());
    while (done < n && Clock::now() < until);
  }

  std::atomic<bool> at_work_{false};
  std::mutex state_;  // held while the system is read or changed
  System system_;
};

}  // namespace phida::systems
