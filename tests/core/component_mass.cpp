#include "mapping/component_mass.hpp"

#include <cmath>

#include "check.hpp"

using namespace phida;

namespace {

ComponentMass weigh(const PhComponents& components, const std::vector<double>& support) {
  std::vector<double> scratch;
  ComponentMass mass;
  weigh_components(components, support, scratch, mass);
  return mass;
}

}  // namespace

TEST("component_mass: mass is support times pi / (pi + median pi)") {
  const PhComponents c{0.0, {0, 0, 1, -1, 2}, {0, 2, 4}, {1.0, 3.0, 2.0}};
  const ComponentMass m = weigh(c, {4, 2, 5, 9, 8});
  CHECK_CLOSE(m.node[0], 4 * 1.0 / 3.0, 1e-15);
  CHECK_CLOSE(m.node[2], 5 * 3.0 / 5.0, 1e-15);
  CHECK_CLOSE(m.node[4], 8 * 2.0 / 4.0, 1e-15);
  CHECK(m.node[3] == 0.0);
  CHECK_CLOSE(m.component[0], 6 * 1.0 / 3.0, 1e-15);
}

TEST("component_mass: the median of an even number is the mean of the middle two") {
  const PhComponents c{0.0, {0, 1}, {0, 1}, {1.0, 3.0}};
  const ComponentMass m = weigh(c, {3, 5});
  CHECK_CLOSE(m.component[0], 3 * 1.0 / 3.0, 1e-15);
  CHECK_CLOSE(m.component[1], 5 * 3.0 / 5.0, 1e-15);
}

TEST("component_mass: invalid stable masses fall back to the supports") {
  const PhComponents none{0.0, {0, 1}, {0, 1}, {0.0, 0.0}};
  CHECK(weigh(none, {3, 5}).component == (std::vector<double>{3, 5}));
  const PhComponents infinite{0.0, {0, 1}, {0, 1}, {INFINITY, 1.0}};
  CHECK(weigh(infinite, {3, 5}).component == (std::vector<double>{3, 5}));
}

TEST("component_mass: masses that are not positive become 1e-12") {
  const PhComponents c{0.0, {0, 1}, {0, 1}, {0.0, 1.0}};
  CHECK(weigh(c, {3, 5}).node[0] == 1e-12);
}

TEST("component_mass: the minimum count is the effective count of the masses, rounded up") {
  const PhComponents c{0.0, {0, 1, 2}, {0, 1, 2}, {1.0, 1.0, 1.0}};
  CHECK(weigh(c, {1000, 1, 1}).minimum_count == 2);
  CHECK(weigh(c, {10, 9, 1}).minimum_count == 3);
  CHECK(weigh(c, {10, 10, 10}).minimum_count == 3);  // exp(entropy) just above 3 still counts as 3
  const PhComponents one{0.0, {0, 0}, {0}, {1.0}};
  CHECK(weigh(one, {3, 4}).minimum_count == 1);
}
