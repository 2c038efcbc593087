// The threshold of far samples.
#include "nodes/far_samples.hpp"

#include <cmath>

#include "check.hpp"

using namespace phida;

TEST("far_samples: the first positive misfit sets the threshold and is not far itself") {
  FarSamples far;
  CHECK(!far.judge(0.0) && !far.present && far.similarity() == 0.0);
  far.adjust(false, 10);
  CHECK(!far.present && far.n_far == 3);
  CHECK(!far.judge(2.0) && far.present);
  CHECK_CLOSE(far.log_theta, std::log(2.0), 1e-15);
  CHECK_CLOSE(far.similarity(), 1.0 / 3.0, 1e-15);
  CHECK(far.judge(2.1) && !far.judge(1.9));
}

TEST("far_samples: steps have mean 0 where far samples come with the expected frequency") {
  FarSamples far;
  far.judge(1.0);
  const double q = std::exp(-3.0 / 20.0);
  far.adjust(false, 20);
  CHECK_CLOSE(far.log_theta, -q / 20.0, 1e-15);
  far.log_theta = 0.0;
  far.adjust(true, 20);
  CHECK_CLOSE(far.log_theta, (1.0 - q) / 20.0, 1e-15);
  CHECK(far.n_far == 4);
}

TEST("far_samples: the threshold stays above its floor, and intervals below two count as two") {
  FarSamples far;
  far.judge(1e-6 * 1.0000001);
  for (int i = 0; i < 100; ++i) far.adjust(false, 1);
  CHECK(far.log_theta == FarSamples::kFloor);
  CHECK(far.similarity() < 1.0);
  far.n_far = 1'000'000;
  far.adjust(false, 2);  // the frequency is 0 to the last digit, not an error
  CHECK(far.log_theta == FarSamples::kFloor);
}

TEST("judge_plus: many nodes with one sample stop the window vigilance, not far samples") {
  FarSamples far;
  far.judge(1.0);
  const Vigilance window{5, 0.9, 0.0};
  const auto creates = [&](double misfit, double similarity, std::size_t single) {
    return judge_plus(misfit, similarity, window, [&] { return single; }, false, far).creates;
  };
  CHECK(creates(0.5, 0.8, 5) && !creates(0.5, 0.8, 6) && !creates(0.5, 0.95, 0));
  CHECK(creates(1.5, 0.8, 6));
  CHECK(far.n_far == 3 && far.log_theta == 0.0);  // nothing was adjusted
}
