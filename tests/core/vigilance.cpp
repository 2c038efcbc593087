#include "nodes/vigilance.hpp"

#include <cmath>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Matrix = std::vector<std::vector<double>>;

// Similarities of the m newest samples.
Matrix similarities(const SampleBuffer& samples, std::size_t m, std::size_t dims,
                    const double* scaling, double alpha) {
  Matrix r(m, std::vector<double>(m));
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < m; ++q)
      r[p][q] = 1.0 / (1.0 + alpha * std::sqrt(plain::square(samples.recent(p), samples.recent(q),
                                                             scaling, dims)));
  return r;
}

// Textbook Cholesky: L L' = R, row by row. Stable if L exists and (product of the diagonal)^2 >= 1e-6.
bool is_stable(const Matrix& r) {
  const std::size_t n = r.size();
  Matrix l(n, std::vector<double>(n, 0.0));
  double product = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = r[i][j];
      for (std::size_t t = 0; t < j; ++t) sum -= l[i][t] * l[j][t];
      if (i != j) {
        l[i][j] = sum / l[j][j];
        continue;
      }
      if (!(sum > 0.0)) return false;
      l[i][i] = std::sqrt(sum);
      product *= l[i][i];
    }
  }
  return product * product >= 1e-6;
}

double threshold(const Matrix& r, double q) {
  std::vector<double> u(r.size(), -1.0);
  for (std::size_t p = 0; p < r.size(); ++p)
    for (std::size_t o = 0; o < r.size(); ++o)
      if (o != p) u[p] = std::max(u[p], r[p][o]);
  return plain::quantile(u, q);
}

double mixed(double current, std::size_t length, double ratio) {
  const double l = static_cast<double>(length);
  return std::clamp(current / l + (1.0 - 1.0 / l) * ratio, 0.0, 1.0);
}

enum class Outcome { kShrunk, kUnstable, kKept, kStopped, kDoubled };

// Spec section 5 literally: a new matrix and factor for every window.
Vigilance plain_recalculate(const Vigilance& v, const SampleBuffer& samples, std::size_t dims,
                            const double* scaling, double alpha, double current, Outcome& outcome) {
  const auto window = [&](std::size_t m) { return similarities(samples, m, dims, scaling, alpha); };
  Vigilance accepted = v;
  double r = v.ratio;
  for (std::size_t m = 2; m <= std::min(v.interval, samples.size()); ++m) {
    if (!is_stable(window(m))) {
      outcome = m == 2 ? Outcome::kUnstable : Outcome::kShrunk;
      return accepted;
    }
    r = mixed(current, v.interval, r);
    accepted = {m, threshold(window(m), r), r};
  }
  outcome = Outcome::kKept;
  if (samples.size() <= v.interval) return v;
  const std::size_t most = std::min(2 * v.interval, samples.size());
  std::size_t low = v.interval, h = std::min(v.interval + 1, most), stride = 1;
  r = mixed(current, v.interval, v.ratio);
  while (h <= most) {
    if (!is_stable(window(h))) {
      outcome = Outcome::kStopped;
      r = mixed(current, low, r);
      return {low, threshold(window(low), r), r};
    }
    low = h;
    stride = std::min(2 * stride, most - v.interval);
    h = std::min(v.interval + stride, most);
    if (h <= low) break;
  }
  outcome = Outcome::kDoubled;
  return {most, threshold(window(most), r), r};
}

SampleBuffer filled(Random& random, std::size_t n, std::size_t dims) {
  SampleBuffer samples(dims);
  samples.keep(n);
  for (std::size_t i = 0, all = n + random.below(n + 1); i < all; ++i)
    samples.append(random.values(dims).data());
  return samples;
}

}  // namespace

TEST("vigilance: the growing factor finds the longest stable window of a textbook Cholesky") {
  Random random(1);
  for (std::size_t dims : {1, 2, 7, 8, 13}) {
    SimilarityWindow window(
        dims);  // reused: memory of longer windows must not leak into shorter ones
    for (int round = 0; round < 40; ++round) {
      const std::size_t held = 1 + random.below(45);
      const SampleBuffer samples = filled(random, held, dims);
      const AlignedDoubles inverse = random.values(padded(dims), 0.1, 10.0);
      const double* scaling = round % 2 ? inverse.data() : nullptr;
      const double alpha = std::exp(random.uniform(-3.0, 6.0));
      std::size_t expected = 1;
      while (expected < held &&
             is_stable(similarities(samples, expected + 1, dims, scaling, alpha)))
        ++expected;
      CHECK(window.grow(samples, held, scaling, alpha) == expected);
    }
  }
}

TEST("vigilance: quantiles of the nearest similarities are exact in any shorter window") {
  Random random(2);
  const std::size_t dims = 3, held = 30;
  const SampleBuffer samples = filled(random, held, dims);
  SimilarityWindow window(dims);
  CHECK(window.grow(samples, held, nullptr, 1e3) == held);
  for (std::size_t length = 2; length <= held; ++length)
    for (double q : {0.0, 0.3, 1.0})
      CHECK_CLOSE(window.quantile_of_nearest(length, q),
                  threshold(similarities(samples, length, dims, nullptr, 1e3), q), 1e-15);
}

TEST("vigilance: recalculation equals the spec in every branch") {
  Random random(3);
  int met[5] = {};
  SimilarityWindow window(3);
  for (int round = 0; round < 600; ++round) {
    const Vigilance before{2 + random.below(24), random.uniform(), random.uniform()};
    const SampleBuffer samples = filled(random, 1 + random.below(2 * before.interval), 3);
    const double alpha =
        round % 10 ? std::exp(random.uniform(-3.0, 6.0)) : 1e-8;  // all equal: unstable at once
    const double current = random.uniform();
    Outcome outcome{};
    const Vigilance expected =
        plain_recalculate(before, samples, 3, nullptr, alpha, current, outcome);
    const Vigilance got = recalculate(before, samples, nullptr, alpha, current, window);
    CHECK(got.interval == expected.interval);
    CHECK_CLOSE(got.threshold, expected.threshold, 1e-14);
    CHECK_CLOSE(got.ratio, expected.ratio, 1e-15);
    ++met[static_cast<int>(outcome)];
  }
  for (const int times : met) CHECK(times > 0);
}

TEST("vigilance: equal newest samples are unstable and change nothing") {
  SampleBuffer samples(2);
  const double x[2] = {1, 2};
  for (int i = 0; i < 4; ++i) samples.append(x);
  SimilarityWindow window(2);
  const Vigilance v = recalculate({2, 0.25, 0.5}, samples, nullptr, 1.0, 1.0, window);
  CHECK(v.interval == 2 && v.threshold == 0.25 && v.ratio == 0.5);
}

TEST("vigilance: an earlier equal sample ends the window just before it") {
  for (std::size_t back = 2; back < 20; ++back) {
    SampleBuffer samples(1);
    for (std::size_t i = 0; i < 20; ++i) {
      // repeats the newest value
      const double x = i == 19 - back ? 19e6 : static_cast<double>(i) * 1e6;
      samples.append(&x);
    }
    SimilarityWindow window(1);
    CHECK(window.grow(samples, 20, nullptr, 1.0) == back);
  }
}

TEST("vigilance: the complement's threshold differs only in its quantile") {
  Random random(4);
  SimilarityWindow window(3);
  for (int round = 0; round < 200; ++round) {
    const Vigilance before{2 + random.below(24), random.uniform(), random.uniform()};
    const SampleBuffer samples = filled(random, 1 + random.below(2 * before.interval), 3);
    const double alpha = std::exp(random.uniform(-3.0, 6.0)), current = random.uniform();
    const Vigilance usual = recalculate(before, samples, nullptr, alpha, current, window);
    const Vigilance other =
        recalculate(before, samples, nullptr, alpha, current, window, ThresholdAt::kComplement);
    CHECK(other.interval == usual.interval && other.ratio == usual.ratio);
    const bool kept = usual.ratio == before.ratio;
    CHECK_CLOSE(other.threshold,
                kept ? before.threshold
                     : threshold(similarities(samples, usual.interval, 3, nullptr, alpha),
                                 1.0 - usual.ratio),
                1e-14);
  }
}
