// The plainest versions of small formulas, for comparison in several tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "numeric/row_matrix.hpp"

namespace phida::plain {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same_bits(x, y); });
}

inline double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  const double at = std::clamp(n * q - 0.5, 0.0, n - 1.0);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

// Features in order; `inverse` may be null.
inline double square(const double* a, const double* b, const double* inverse, std::size_t dims) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    double difference = a[j] - b[j];
    if (inverse != nullptr) difference = difference * inverse[j];
    sum = sum + difference * difference;
  }
  return sum;
}

// The row nearest to a query, the first among equal ones, and its square.
inline std::pair<std::int32_t, double> nearest(const double* query, const RowMatrix& rows,
                                               const double* inverse) {
  std::pair<std::int32_t, double> least{0, INFINITY};
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double found = square(query, rows[i], inverse, rows.cols());
    if (found < least.second) least = {static_cast<std::int32_t>(i), found};
  }
  return least;
}

// Rows with new values f(value, row, feature).
template <class F>
RowMatrix changed(RowMatrix rows, F f) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < rows.cols(); ++j) rows[i][j] = f(rows[i][j], i, j);
  return rows;
}

inline RowMatrix scaled(RowMatrix rows, double factor) {
  return changed(std::move(rows), [&](double x, auto, auto) { return factor * x; });
}

inline RowMatrix shifted(RowMatrix rows, double by) {
  return changed(std::move(rows), [&](double x, auto, auto) { return by + x; });
}

// Sums eight lanes in the fixed order: halves, quarters, pair.
inline double tree_sum(const double* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// Spec section 4 for one node.
inline std::vector<double> weights(const double* m2, double support, const double* variance,
                                   std::size_t dims) {
  std::vector<double> w(dims);
  for (std::size_t j = 0; j < dims; ++j) {
    double u = support > 1.0 ? m2[j] / std::max(support - 1.0, 1.0) : variance[j];
    if (!(std::isfinite(u) && u > 0.0)) u = variance[j];
    w[j] = variance[j] / (std::max(u, 1e-12) + variance[j]);
  }
  const auto normalise = [&] {
    const double total = std::accumulate(w.begin(), w.end(), 0.0);
    for (double& x : w) x /= total;
  };
  normalise();
  for (double& x : w) x = std::max(x, 1e-12);
  normalise();
  return w;
}

// d = g + gamma max(l - g, 0) under weights w (spec step 4).
inline double penalised(double g, const double* a, const double* b, const double* inverse,
                        const std::vector<double>& w, double gamma) {
  double squares = 0.0, local = 0.0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double difference = (a[j] - b[j]) * (inverse != nullptr ? inverse[j] : 1.0);
    squares += w[j] * w[j];
    local += w[j] * difference * difference;
  }
  const double kappa = std::clamp(1.0 / squares, 1.0, static_cast<double>(w.size()));
  return g + gamma * std::max(std::sqrt(kappa * local) - g, 0.0);
}

inline std::vector<std::int32_t> first(std::size_t n) {
  std::vector<std::int32_t> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// Two points at different squared but equal rounded distance from the origin, the farther one first. Squares that
// differ in the last bit have equal roots about half the time.
template <class Random>
RowMatrix equal_roots(Random& random) {
  const double origin[2] = {0.0, 0.0};
  for (;;) {
    const double a[2] = {random.uniform(1.0, 2.0), random.uniform(1.0, 2.0)};
    const double b[2] = {std::nextafter(a[0], 0.0), a[1]};
    const double far = square(origin, a, nullptr, 2), near = square(origin, b, nullptr, 2);
    if (far == near || std::sqrt(far) != std::sqrt(near)) continue;
    RowMatrix both(2);
    both.append(a);
    both.append(b);
    return both;
  }
}

}  // namespace phida::plain
