#include "systems/shared_system.hpp"

#include <thread>
#include <vector>

#include "check.hpp"

using phida::systems::SharedSystem;

namespace {

// Records its calls.
struct Recorder {
  std::size_t dims() const { return 2; }
  void begin_call(const double*, std::size_t n) { log.push_back(1000 + static_cast<double>(n)); }
  void learn(const double* row) {
    log.push_back(row[0]);
    if (delay) std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }
  void end_call() { log.push_back(-1.0); }

  std::vector<double> log;
  bool delay = false;
};

const double kRows[] = {1, 0, 2, 0, 3, 0};

std::vector<double> log_of(SharedSystem<Recorder>& shared) {
  return shared.with([](const Recorder& recorder) { return recorder.log; });
}

}  // namespace

TEST("shared_system: a call has a beginning, rows and an end") {
  SharedSystem<Recorder> shared{Recorder()};
  CHECK(shared.learn(kRows, 3, [] { return true; }) == 3);
  CHECK(shared.learn(kRows, 1, [] { return true; }) == 1);
  CHECK(log_of(shared) == std::vector<double>{1003, 1, 2, 3, -1, 1001, 1, -1});
}

TEST("shared_system: a stopped call ends too") {
  SharedSystem<Recorder> shared{Recorder{{}, true}};
  CHECK(shared.learn(kRows, 3, [] { return false; }) == 1);
  CHECK(log_of(shared) == std::vector<double>{1003, 1, -1});
}

TEST("shared_system: learning inside a call throws, reading there works") {
  SharedSystem<Recorder> shared{Recorder{{}, true}};
  const auto learn_again = [&] {
    CHECK(log_of(shared).size() == 2);
    CHECK_THROWS(std::logic_error, shared.learn(kRows, 1, [] { return true; }));
    return false;
  };
  shared.learn(kRows, 3, learn_again);
  CHECK(shared.learn(kRows, 1, [] { return true; }) == 1);
}
