// Nodes to match samples with, and the plainest version of matching.
#pragma once

#include <algorithm>
#include <vector>

#include "nodes/matching.hpp"
#include "plain.hpp"
#include "random.hpp"

namespace phida {

// Nodes with moments, from which the weights are computed.
struct Nodes {
  RowMatrix rows;
  RowMatrix m2;
  std::vector<double> support;
  Moments moments;
  Matcher matcher;

  explicit Nodes(RowMatrix r)
      : rows(std::move(r)),
        m2(rows.cols()),
        support(rows.rows(), 1.0),
        moments(rows.cols()),
        matcher(rows.cols()) {
    m2.resize(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      moments.add(rows[i]);
      matcher.append(rows[i]);
    }
  }
  Match match(const double* x, const double* scaling, double gamma) {
    return matcher.nearest_two(x, scaling, gamma, rows, WeightSource{m2, support, moments});
  }
  void give_moments(Random& random) {
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      support[i] = static_cast<double>(1 + random.below(6));
      for (std::size_t j = 0; j < rows.cols(); ++j)
        m2[i][j] = random.below(6) ? random.uniform() : 0.0;
    }
  }
};

// Distance first, then index: the order of spec step 4.
inline Match first_two(const std::vector<double>& d) {
  std::vector<std::int32_t> order = plain::first(d.size());
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return d[a] < d[b]; });
  return {order[0], order[1], d[order[0]], d[order[1]]};
}

}  // namespace phida
