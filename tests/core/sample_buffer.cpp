#include "nodes/sample_buffer.hpp"

#include <deque>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

double tag(const SampleBuffer& buffer, std::size_t age) { return buffer.recent(age)[0]; }

}  // namespace

TEST("sample_buffer: is unlimited until a length is set") {
  SampleBuffer buffer(1);
  for (double x = 0; x < 100; ++x) buffer.append(&x);
  CHECK(buffer.size() == 100 && buffer.kept() == 0);
  for (std::size_t age = 0; age < 100; ++age)
    CHECK(tag(buffer, age) == 99.0 - static_cast<double>(age));
}

TEST("sample_buffer: drops the oldest once the length is reached") {
  SampleBuffer buffer(1);
  buffer.keep(3);
  for (double x = 0; x < 8; ++x) buffer.append(&x);
  CHECK(buffer.size() == 3 && tag(buffer, 0) == 7.0 && tag(buffer, 2) == 5.0);
}

TEST("sample_buffer: rows are padded with zeros, also when reused") {
  SampleBuffer buffer(3);
  buffer.keep(2);
  const double x[3] = {1, 2, 3};
  for (int i = 0; i < 9; ++i) {
    const double* row = buffer.append(x);
    for (std::size_t j = 3; j < 8; ++j) CHECK(row[j] == 0.0);
    CHECK(row == buffer.recent(0) && buffer.stride() == 8);
  }
}

TEST("sample_buffer: runs are one stride apart, newest to oldest, and cover the buffer") {
  Random random(1);
  SampleBuffer buffer(2);
  buffer.keep(7);
  for (int step = 0; step < 60; ++step) {
    const double x[2] = {random.uniform(), random.uniform()};
    buffer.append(x);
    for (std::size_t age = 0; age < buffer.size();) {
      const std::size_t run = std::min(buffer.run(age), buffer.size() - age);
      CHECK(run > 0);
      for (std::size_t i = 0; i < run; ++i)
        CHECK(buffer.recent(age + i) == buffer.recent(age) - i * buffer.stride());
      age += run;
    }
  }
}

TEST("sample_buffer: random appending, shrinking and growing equals a deque") {
  Random random(2);
  for (int program = 0; program < 200; ++program) {
    SampleBuffer buffer(1 + random.below(10));
    std::deque<double> expected;
    std::size_t keep = 0;
    double next = 0.0;
    for (int step = 0; step < 200; ++step) {
      if (random.below(12) == 0) {
        keep = 1 + random.below(40);
        buffer.keep(keep);
      } else {
        const std::vector<double> x(10, next += 1.0);
        buffer.append(x.data());
        expected.push_front(next);
      }
      while (keep != 0 && expected.size() > keep) expected.pop_back();
      CHECK(buffer.size() == expected.size() && buffer.kept() == keep);
      if (buffer.size() != expected.size()) return;
      for (std::size_t age = 0; age < expected.size(); ++age)
        CHECK(tag(buffer, age) == expected[age]);
    }
  }
}
