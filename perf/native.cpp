// Native workloads: `growth` times each stage over a grid of sizes and prints CSV; `learn N D` learns a seeded stream
// once, for counting instructions.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "learning/learner.hpp"
#include "nodes/matching.hpp"
#include "nodes/vigilance.hpp"
#include "topology/knn_graph.hpp"

namespace {

using namespace phida;

// A small generator, so that workloads are equal on every platform.
class Uniform {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  unsigned long long state_ = 1;
};

// `n` rows around ten centres.
std::vector<double> stream(std::size_t n, std::size_t dims) {
  Uniform uniform;
  std::vector<double> centers(10 * dims), rows(n * dims);
  for (double& value : centers) value = 10.0 * uniform();
  for (std::size_t i = 0; i < n; ++i) {
    const auto center = static_cast<std::size_t>(10.0 * uniform());
    for (std::size_t j = 0; j < dims; ++j)
      rows[i * dims + j] = centers[center * dims + j] + uniform() + uniform() + uniform() - 1.5;
  }
  return rows;
}

RowMatrix matrix(std::size_t n, std::size_t dims) {
  const std::vector<double> values = stream(n, dims);
  RowMatrix rows(dims);
  for (std::size_t i = 0; i < n; ++i) rows.append(values.data() + i * dims);
  return rows;
}

// Minimum microseconds of a call, over about a twentieth of a second.
double microseconds(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300, total = 0.0;
  while (total < 50e3) {
    const auto start = Clock::now();
    call();
    const double taken = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    best = std::min(best, taken);
    total += taken;
  }
  return best;
}

double matching(std::size_t n_nodes, std::size_t dims) {
  const RowMatrix rows = matrix(n_nodes, dims), m2(dims);
  const Moments moments(dims);
  Matcher matcher(dims);
  for (std::size_t i = 0; i < n_nodes; ++i) matcher.append(rows[i]);
  return microseconds(
      [&] { matcher.nearest_two(rows[n_nodes / 2], nullptr, 0.0, rows, {m2, {}, moments}); });
}

// Time per sample: one recalculation of a window that stays stable, divided by its interval.
double vigilance(std::size_t interval, std::size_t dims) {
  const RowMatrix rows = matrix(2 * interval, dims);
  SampleBuffer samples(dims);
  for (std::size_t i = 0; i < rows.rows(); ++i) samples.append(rows[i]);
  SimilarityWindow window(dims);
  const Vigilance before{interval, 0.5, 0.2};
  return microseconds([&] { recalculate(before, samples, nullptr, 1e3, 0.2, window); }) /
         static_cast<double>(interval);
}

double graph(std::size_t n_nodes, std::size_t dims) {
  const RowMatrix rows = matrix(n_nodes, dims);
  std::vector<std::int32_t> members(n_nodes);
  std::iota(members.begin(), members.end(), 0);
  KnnGraphBuilder builder;
  KnnGraph out;
  return microseconds(
      [&] { builder.build(rows, members, FeatureTransform{}, std::nullopt, {}, out); });
}

void growth() {
  std::puts("stage,nodes,dims,interval,rows,microseconds");
  for (std::size_t dims : {4, 16, 64, 256})
    for (std::size_t n = 32; n <= 2048; n *= 2)
      std::printf("matching,%zu,%zu,,,%.4f\n", n, dims, matching(n, dims));
  for (std::size_t dims : {4, 64, 1024})
    for (std::size_t interval = 8; interval <= 512; interval *= 2)
      std::printf("vigilance,,%zu,%zu,,%.4f\n", dims, interval, vigilance(interval, dims));
  for (std::size_t dims : {4, 64})
    for (std::size_t n = 32; n <= 1024; n *= 2)
      std::printf("refresh,%zu,%zu,,,%.4f\n", n, dims, graph(n, dims));
  // Time per row in consecutive parts of one long stream.
  const std::size_t dims = 8, part = 50000;
  const std::vector<double> rows = stream(8 * part, dims);
  Learner learner({dims, false, {}});
  for (std::size_t p = 0; p < 8; ++p) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = p * part; i < (p + 1) * part; ++i) learner.learn(rows.data() + i * dims);
    const double taken =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    std::printf("stream,%zu,%zu,%zu,%zu,%.4f\n", learner.state().nodes.size(), dims,
                learner.state().vigilance.interval, (p + 1) * part,
                taken / static_cast<double>(part));
  }
}

void learn(std::size_t n, std::size_t dims) {
  const std::vector<double> rows = stream(n, dims);
  Learner learner({dims, false, {}});
  for (std::size_t i = 0; i < n; ++i) learner.learn(rows.data() + i * dims);
  learner.end_learning();
  std::printf("%zu rows, %zu features, %zu nodes, %s\n", n, dims, learner.state().nodes.size(),
              kernels().level);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "growth") == 0)
    growth();
  else if (argc == 4 && std::strcmp(argv[1], "learn") == 0)
    learn(std::strtoul(argv[2], nullptr, 10), std::strtoul(argv[3], nullptr, 10));
  else
    return std::fputs("usage: phida_perf growth | learn ROWS FEATURES\n", stderr), 2;
  return 0;
}
