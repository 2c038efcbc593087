// Sums over a padded row: eight lanes, then the fixed tree.
#include <cmath>
#include <limits>

#include "levels.hpp"

using namespace phida;

namespace {

// Sums of term(j) by lanes of eight, j ascending.
template <class Term>
double lane_sum(std::size_t n, Term term) {
  double lanes[8] = {};
  for (std::size_t j = 0; j < n; ++j) lanes[j % 8] = lanes[j % 8] + term(j);
  return plain::tree_sum(lanes);
}

// Spec section 4 in the kernels' order of additions.
double plain_weights(const double* m2, double support, const double* v, double* w, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    double u = support <= 1.0 ? v[j] : m2[j] / (support - 1.0 > 1.0 ? support - 1.0 : 1.0);
    if (!(u > 0.0 && std::isfinite(u))) u = v[j];
    w[j] = v[j] / (std::max(u, 1e-12) + v[j]);
  }
  const double first = lane_sum(n, [&](std::size_t j) { return w[j]; });
  for (std::size_t j = 0; j < n; ++j) w[j] = v[j] > 0.0 ? std::max(w[j] / first, 1e-12) : 0.0;
  const double second = lane_sum(n, [&](std::size_t j) { return w[j]; });
  for (std::size_t j = 0; j < n; ++j) w[j] = w[j] / second;
  return lane_sum(n, [&](std::size_t j) { return w[j] * w[j]; });
}

}  // namespace

TEST(
    "kernels: feature_weights equal the plain loop to the bit, with zero, infinite and NaN "
    "moments") {
  for_each_level([](const Kernels& k) {
    Random random(1);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const std::size_t n = padded(dims);
      for (int round = 0; round < 40; ++round) {
        AlignedDoubles m2(n, 0.0), v(n, 0.0), got(n), expected(n);
        for (std::size_t j = 0; j < dims; ++j) {
          const double odd[] = {0.0, 1e-30, 1e300, INFINITY,
                                std::numeric_limits<double>::quiet_NaN()};
          v[j] = random.below(4) ? random.uniform(1e-12, 10.0) : 1e-12;
          m2[j] = random.below(4) ? random.uniform(0.0, 10.0) : odd[random.below(5)];
        }
        const double support = static_cast<double>(1 + random.below(4));
        const double squares = k.feature_weights(m2.data(), support, v.data(), got.data(), n);
        CHECK(plain::same_bits(squares,
                               plain_weights(m2.data(), support, v.data(), expected.data(), n)));
        CHECK(plain::same_bits(got, expected));
        double total = 0.0;
        for (std::size_t j = 0; j < dims; ++j) {
          CHECK(got[j] > 0.0);
          total += got[j];
        }
        CHECK_CLOSE(total, 1.0, 1e-12);
        for (std::size_t j = dims; j < n; ++j) CHECK(got[j] == 0.0);
      }
    }
  });
}

TEST("kernels: weighted_square and pair_weighted_square equal the plain loop to the bit") {
  for_each_level([](const Kernels& k) {
    Random random(2);
    for (std::size_t dims = 1; dims <= 40; ++dims) {
      const std::size_t n = padded(dims);
      const auto row = [&](double low, double high) {
        AlignedDoubles values = random.values(n, low, high);
        std::fill(values.begin() + static_cast<std::ptrdiff_t>(dims), values.end(), 0.0);
        return values;
      };
      const AlignedDoubles a = row(-1, 1), b = row(-1, 1), inverse = row(0.1, 10), wa = row(0, 1),
                           wb = row(0, 1);
      for (const double* scaling : {static_cast<const double*>(nullptr), inverse.data()}) {
        const auto square = [&](std::size_t j) {
          double difference = a[j] - b[j];
          if (scaling != nullptr) difference = difference * scaling[j];
          return difference * difference;
        };
        const auto mean = [&](std::size_t j) { return 0.5 * (wa[j] + wb[j]); };
        CHECK(plain::same_bits(k.weighted_square(a.data(), b.data(), scaling, wa.data(), n),
                               lane_sum(n, [&](std::size_t j) { return wa[j] * square(j); })));
        double squares = 0.0;
        const double weighted =
            k.pair_weighted_square(a.data(), b.data(), scaling, wa.data(), wb.data(), n, &squares);
        CHECK(plain::same_bits(weighted,
                               lane_sum(n, [&](std::size_t j) { return mean(j) * square(j); })));
        CHECK(plain::same_bits(squares,
                               lane_sum(n, [&](std::size_t j) { return mean(j) * mean(j); })));
      }
    }
  });
}
