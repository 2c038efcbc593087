// Streams with almost nothing to learn.
#include <cmath>
#include <set>

#include "assignment/assign.hpp"
#include "check.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

// Learns the stream in both modes and checks that labels are 0 ... C - 1, each used by a node. Returns C.
std::size_t clusters(const Stream& stream) {
  std::size_t count = 0;
  for (const bool released : {true, false}) {
    Learner learner({stream.dims, released, {}});
    for (std::size_t i = 0; i < stream.size(); ++i) {
      learner.learn(stream[i]);
      if (i < 20) learner.reading();
    }
    learner.end_learning();
    const auto reading = learner.reading();
    count = reading->view.n_clusters();
    CHECK(count >= 1);
    std::set<std::int32_t> used(reading->cluster.begin(), reading->cluster.end());
    used.erase(kNone);
    CHECK(used.size() == count && *used.begin() == 0 &&
          *used.rbegin() == static_cast<std::int32_t>(count) - 1);
    Assigner assigner(reading->view);
    for (std::size_t i = 0; i < stream.size(); ++i) {
      const std::int32_t label = assigner.label(stream[i]);
      CHECK(label >= 0 && label < static_cast<std::int32_t>(count));
    }
  }
  return count;
}

Stream repeated(const std::vector<double>& values, std::size_t dims, std::size_t times) {
  Stream stream{dims, {}};
  for (std::size_t t = 0; t < times; ++t)
    stream.values.insert(stream.values.end(), values.begin(), values.end());
  return stream;
}

}  // namespace

TEST("learner: one row is one cluster") { CHECK(clusters(blobs(1, 1, 3, 1)) == 1); }

TEST("learner: two and three rows are clustered") {
  clusters(blobs(2, 2, 3, 1));
  clusters(blobs(3, 3, 3, 1));
}

TEST("learner: one feature is clustered") { clusters(blobs(4, 500, 1, 3)); }

TEST("learner: all rows equal are one cluster") {
  for (std::size_t n : {2, 3, 4, 5, 50, 20000}) CHECK(clusters(repeated({1.5, -2.0}, 2, n)) == 1);
}

TEST("learner: 100,000 equal rows, then others, are learned") {
  Learner learner({3, false, {}});
  const double x[3] = {0.1, 0.2, 0.3};
  for (int i = 0; i < 100000; ++i) learner.learn(x);
  learn(learner, blobs(5, 300, 3, 3));
  CHECK(learner.state().nodes.size() < 1000);
  CHECK(learner.reading()->view.n_clusters() >= 1);
}

TEST("learner: two alternating values are clustered") { clusters(repeated({0.0, 1.0}, 1, 500)); }

TEST("learner: many duplicates are clustered") {
  clusters(repeated({0, 0, 0, 1, 5, 5, 5, 6, 9, 0}, 2, 200));
}

TEST("learner: a constant column gives finite results") {
  Stream stream = blobs(6, 500, 3, 3);
  for (std::size_t i = 0; i < stream.size(); ++i) stream.values[i * 3 + 1] = 7.0;
  clusters(stream);
}

TEST("learner: features on scales from 1e-9 to 1e9 give finite results") {
  Stream stream = blobs(7, 800, 6, 4);
  const double scale[6] = {1e-9, 1e-5, 1.0, 1e3, 1e6, 1e9};
  for (std::size_t i = 0; i < stream.values.size(); ++i) stream.values[i] *= scale[i % 6];
  clusters(stream);
}

TEST("learner: the largest allowed values give finite results") {
  Stream stream = blobs(8, 300, 3, 3);
  for (double& x : stream.values) x *= 5e138;
  clusters(stream);
}

TEST("learner: values whose squares underflow give finite results") {
  Stream stream = blobs(9, 300, 3, 3);
  for (double& x : stream.values) x *= 1e-200;
  clusters(stream);
}

TEST("learner: a distant sample after a feature too narrow to scale gives valid labels") {
  // The scaled differences overflow: every distance is infinite.
  for (const std::size_t n : {4, 6, 12, 60}) {
    Stream stream = blobs(10, n, 10, 2);
    for (std::size_t i = 0; i < n; ++i) {
      stream.values[i * 10] *= 1e-300;
      stream.values[i * 10 + 1] *= 1e8;
    }
    for (const double x : {1.0, 2.0, 3.0}) stream.values.insert(stream.values.end(), 10, x);
    clusters(stream);
  }
}
