#include "systems/correntropy.hpp"

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"

using namespace phida;
using namespace phida::systems;

TEST("correntropy: the bandwidth is the median of Silverman's rule") {
  Random random(1);
  for (std::size_t n : {2, 3, 10, 41})
    for (std::size_t dims : {1, 2, 5, 8}) {
      const RowMatrix rows = random.rows(n, dims);
      std::vector<const double*> pointers;
      for (std::size_t i = 0; i < n; ++i) pointers.push_back(rows[i]);
      std::vector<double> deviations;
      for (std::size_t j = 0; j < dims; ++j) {
        double mean = 0.0, squares = 0.0;
        for (const double* row : pointers) mean += row[j] / static_cast<double>(n);
        for (const double* row : pointers) squares += (row[j] - mean) * (row[j] - mean);
        deviations.push_back(std::sqrt(squares / static_cast<double>(n - 1)));
      }
      const double d = static_cast<double>(dims);
      const double expected = plain::median(deviations) *
                              std::pow(4.0 / (2.0 + d), 1.0 / (4.0 + d)) *
                              std::pow(static_cast<double>(n), -1.0 / (4.0 + d));
      CHECK_CLOSE(silverman_bandwidth(pointers, dims), expected, 1e-14);
    }
}

TEST("correntropy: constant features and single rows have bandwidth 1e-6") {
  const double row[1] = {0.1};
  std::vector<const double*> rows;
  for (int n = 1; n < 20; ++n) {
    rows.push_back(row);
    CHECK_CLOSE(silverman_bandwidth(rows, 1), 1e-6 * std::pow(4.0 / 3.0, 0.2) * std::pow(n, -0.2),
                1e-20);
  }
}

TEST("correntropy: equal distances go to the lower index, and one node has no second") {
  NodePositions nodes(1);
  Correntropy correntropy;
  const double two = 2.0, four = 4.0, three = 3.0;
  nodes.append(&four);
  CHECK(correntropy.closest_two(&three, nodes, 1.0).first == 0);
  CHECK(correntropy.closest_two(&three, nodes, 1.0).second == -1);
  CHECK(correntropy.closest_two(&three, nodes, 1.0).second_distance > 1.0);
  nodes.append(&two);
  nodes.append(&two);
  const TwoClosest closest = correntropy.closest_two(&three, nodes, 1.0);
  CHECK(closest.first == 0 && closest.second == 1);
  CHECK(closest.first_distance == closest.second_distance);
}
