#include "numeric/elementary.hpp"

#include <algorithm>
#include <cmath>

namespace phida {
namespace {

// ln 2 as a head with 21 trailing zero bits (so that k * head is exact for every exponent k) and a tail.
constexpr double kLn2Head = 0x1.62e42fee00000p-1;
constexpr double kLn2Tail = 0x1.a39ef35793c76p-33;

struct Sum {
  double value;
  double error;
};

Sum two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// a * b = value + error exactly (Dekker), for |a|, |b| well inside the range.
Sum two_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double a_big = a * kSplit;
  const double a_head = a_big - (a_big - a);
  const double a_tail = a - a_head;
  const double b_big = b * kSplit;
  const double b_head = b_big - (b_big - b);
  const double b_tail = b - b_head;
  const double product = a * b;
  return {product,
          ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail};
}

}  // namespace

double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // [0.5, 1)
  if (m < 0.70710678118654752440) {
    m *= 2.0;
    --exponent;
  }
  // log m = 2 atanh(s), s = (m - 1) / (m + 1), with s carried in two parts.
  const double f = m - 1.0;
  const Sum denominator = two_sum(m, 1.0);
  const double s = f / denominator.value;
  const Sum back = two_product(s, denominator.value);
  const double s_tail =
      (((f - back.value) - back.error) - s * denominator.error) / denominator.value;
  // atanh(s) = s + s^3 (1/3 + s^2/5 + s^4/7 + ...); |s| <= 0.172, so 12 terms reach 2^-60.
  const double z = s * s;
  double series = 0.0;
  for (int n = 25; n >= 3; n -= 2) series = series * z + 1.0 / n;
  const double correction = 2.0 * (s_tail + s * z * series);
  const double k = exponent;
  const Sum head = two_sum(k * kLn2Head, 2.0 * s);
  return head.value + (head.error + (correction + k * kLn2Tail));
}

double portable_exp(double x) {
  const double k = std::nearbyint(x * 1.44269504088896338700);
  const double r_head = x - k * kLn2Head;
  const double r_tail = k * kLn2Tail;
  const double r = r_head - r_tail;
  // |r| <= 0.35: the Taylor series reaches 2^-60 at degree 14.
  double series = 0.0;
  for (int n = 14; n >= 2; --n) series = (series + 1.0) * r / n;
  const double lost = (r_head - r) - r_tail;
  return std::ldexp(1.0 + (r + (r * series + lost)), static_cast<int>(k));
}

double portable_pow(double base, double exponent) {
  return portable_exp(std::clamp(exponent * portable_log(base), -700.0, 700.0));
}

}  // namespace phida
