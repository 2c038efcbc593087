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

double threshold(const Matrix& r, double q) {
  std::vector<double> u(r.size(), -1.0);
  for (std::size_t p = 0; p < r.size(); ++p)
    for (std::size_t o = 0; o < r.size(); ++o)
      if (o != p) u[p] = std::max(u[p], r[p][o]);
  return plain::quantile(u, q);
}

SampleBuffer filled(Random& random, std::size_t n, std::size_t dims) {
  SampleBuffer samples(dims);
  samples.keep(n);
  for (std::size_t i = 0, all = n + random.below(n + 1); i < all; ++i)
    samples.append(random.values(dims).data());
  return samples;
}

}  // namespace

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
