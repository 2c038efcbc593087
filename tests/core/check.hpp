// A test harness on one page. TEST("name") { CHECK(a == b); } registers and runs. A failed check is printed with its
// place, and the test continues; an exception ends the test and fails it.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

inline const char* running = "";
inline int failures = 0;  // failures of the current test

inline bool add(const char* name, void (*body)()) {
  tests().push_back({name, body});
  return true;
}

// Loops over many sizes can fail many times, so only the first few failures are printed.
inline bool is_news() { return ++failures <= 5; }

inline void that(bool holds, const char* expression, const char* file, int line) {
  if (!holds && is_news()) std::printf("%s:%d: failed: %s\n", file, line, expression);
}

// Infinities of one sign are close; NaN never is.
inline void close(double a, double b, double tolerance, const char* expression, const char* file,
                  int line) {
  if (!(a == b || std::abs(a - b) <= tolerance) && is_news())
    std::printf("%s:%d: failed: %s: %.17g against %.17g\n", file, line, expression, a, b);
}

// Runs the tests whose name contains `filter`; returns the program's exit code.
inline int run(const char* filter) {
  int passed = 0, failed = 0;
  for (const Test& test : tests()) {
    if (std::strstr(test.name, filter) == nullptr) continue;
    running = test.name;
    failures = 0;
    try {
      test.body();
    } catch (const std::exception& error) {
      std::printf("threw: %s\n", error.what());
      ++failures;
    }
    if (failures > 0) std::printf("FAILED %s (%d checks)\n", test.name, failures);
    ++(failures > 0 ? failed : passed);
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed > 0 || passed == 0;
}

}  // namespace check

#define CHECK_JOIN2(a, b) a##b
#define CHECK_JOIN(a, b) CHECK_JOIN2(a, b)
#define TEST(name)                                                  \
  static void CHECK_JOIN(test_, __LINE__)();                        \
  [[maybe_unused]] static const bool CHECK_JOIN(added_, __LINE__) = \
      check::add(name, CHECK_JOIN(test_, __LINE__));                \
  static void CHECK_JOIN(test_, __LINE__)()
#define CHECK(...) check::that(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_CLOSE(a, b, tolerance) check::close(a, b, tolerance, #a " ~ " #b, __FILE__, __LINE__)
#define CHECK_THROWS(exception, ...)                                            \
  try {                                                                         \
    __VA_ARGS__;                                                                \
    check::that(false, #__VA_ARGS__ " throws " #exception, __FILE__, __LINE__); \
  } catch (const exception&) {                                                  \
  }
