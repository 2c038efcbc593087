#include "numeric/elementary.hpp"

#include <cfloat>
#include <cmath>

#include "check.hpp"
#include "random.hpp"

using namespace phida;

namespace {

// |got - exact| in units in the last place of `exact`.
long double ulps(double got, long double exact) {
  const double near = static_cast<double>(exact);
  const long double unit = std::nextafter(std::abs(near), INFINITY) - std::abs(near);
  return std::abs(static_cast<long double>(got) - exact) / unit;
}

// If long double is double, the reference itself has an error of up to an ulp.
constexpr long double kReference = LDBL_MANT_DIG > DBL_MANT_DIG ? 0.01L : 1.0L;

}  // namespace

TEST("elementary: log is within 0.52 ulp") {
  Random random(1);
  long double worst = 0;
  for (int round = 0; round < 200000; ++round) {
    const double x = round % 3 == 0   ? random.uniform(0.5, 2.0)
                     : round % 3 == 1 ? 1.0 + static_cast<double>(random.below(100000))
                                      : std::ldexp(random.uniform(1.0, 2.0),
                                                   static_cast<int>(random.below(2000)) - 1000);
    worst = std::max(worst, ulps(portable_log(x), std::log(static_cast<long double>(x))));
  }
  CHECK(worst <= 0.52L + kReference);
}

TEST("elementary: log of 1 is exactly 0, and log of supports increases strictly") {
  CHECK(portable_log(1.0) == 0.0);
  for (double m = 1.0; m < 20000.0; m += 1.0) CHECK(portable_log(m) < portable_log(m + 1.0));
}

TEST("elementary: log near 1 keeps its relative accuracy") {
  for (double step : {1e-3, 1e-6, 1e-9, 1e-12, DBL_EPSILON})
    for (double x : {1.0 + step, 1.0 - step})
      CHECK(ulps(portable_log(x), std::log(static_cast<long double>(x))) <= 0.52L + kReference);
}

TEST("elementary: exp is within 1 ulp up to 700") {
  Random random(2);
  long double worst = 0;
  for (int round = 0; round < 200000; ++round) {
    const double x = round % 2 ? random.uniform(-700.0, 700.0) : random.uniform(-2.0, 2.0);
    worst = std::max(worst, ulps(portable_exp(x), std::exp(static_cast<long double>(x))));
  }
  CHECK(worst <= 1.0L + kReference);
  CHECK(portable_exp(0.0) == 1.0);
}

TEST("elementary: pow is as accurate as exponent times log permits") {
  Random random(3);
  for (int round = 0; round < 100000; ++round) {
    const double base =
        std::ldexp(random.uniform(1.0, 2.0), static_cast<int>(random.below(120)) - 60);
    const double exponent = random.uniform(-2.0, 2.0);
    const long double exact =
        std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    const double tolerance = 2.0 + std::abs(exponent * std::log(base));
    CHECK(ulps(portable_pow(base, exponent), exact) <= 2.0L * static_cast<long double>(tolerance));
  }
  CHECK(portable_pow(3.0, 0.0) == 1.0);
  CHECK(portable_pow(1.0, 0.7) == 1.0);
}

TEST("elementary: pow is finite and positive at the ends of the range") {
  for (double base : {DBL_MIN, 1e-200, 1e140, DBL_MAX})
    for (double exponent : {-3.0, -1.0, 1.0, 3.0}) {
      const double p = portable_pow(base, exponent);
      CHECK(p > 0.0 && std::isfinite(p) && std::isfinite(1.0 / p));
    }
}
