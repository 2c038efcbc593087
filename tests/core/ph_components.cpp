#include "topology/ph_components.hpp"

#include <cmath>

#include "check.hpp"
#include "graphs.hpp"
#include "numeric/elementary.hpp"

using namespace phida;

namespace {

using Vertices = std::vector<std::int32_t>;

PhComponents components(const CsrGraph& graph, const std::vector<double>& support,
                        const std::vector<std::uint8_t>& input) {
  H0Persistence h0;
  Persistence persistence;
  h0.compute(graph, support, input, persistence);
  std::vector<double> scratch;
  PhComponents out;
  cut_components(persistence, support, scratch, out);
  return out;
}

PhComponents components(const CsrGraph& graph, const std::vector<double>& support) {
  return components(graph, support, std::vector<std::uint8_t>(support.size(), 1));
}

std::vector<std::uint8_t> chosen(const CsrGraph& graph, const std::vector<double>& support) {
  std::vector<std::uint8_t> input;
  choose_input(graph, support, input);
  return input;
}

using Flags = std::vector<std::uint8_t>;

}  // namespace

TEST("ph_components: a single positive persistence is never cut") {
  // Two hills of 8 and 5 over a saddle of 2: R = 1, so the threshold is 0 and both stay.
  const PhComponents c = components(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {8, 4, 2, 5, 3});
  CHECK(c.threshold == 0.0);
  CHECK(c.component == Vertices{0, 0, 0, 1, 1});
  CHECK(c.mode == Vertices{0, 3});
}

TEST("ph_components: the weak bridge separates two dense groups") {
  const PhComponents c =
      components(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {50, 40, 1, 40, 60});
  CHECK(c.component == Vertices{0, 0, 1, 1, 1});  // the bridge itself joins the denser side
}

TEST("ph_components: modes below the largest gap are absorbed") {
  // A path with hills 100, 3, 64 and saddles 2, 2. The persistences are ln 1.5 and ln 32; the gap is between.
  const PhComponents c =
      components(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {100, 2, 3, 2, 64});
  CHECK(c.threshold == portable_log(3.0) - portable_log(2.0));
  CHECK(c.mode == Vertices{0, 4});
  CHECK(c.component == Vertices{0, 0, 0, 0, 1});
}

TEST("ph_components: a largest gap from zero cuts nothing") {
  // Persistences ln 8 and ln 9: the gap from zero is the largest.
  const PhComponents c =
      components(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {100, 1, 8, 1, 9});
  CHECK(c.threshold == 0.0 && c.count() == 3);
}

TEST(
    "ph_components: the persistence of a component is its mode's, with infinity as the longest "
    "finite one") {
  const PhComponents c =
      components(graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), {100, 1, 8, 1, 9});
  CHECK_CLOSE(c.persistence[1], std::log(8.0), 1e-15);
  CHECK_CLOSE(c.persistence[2], std::log(9.0), 1e-15);
  CHECK_CLOSE(c.persistence[0], std::log(9.0), 1e-15);
}

TEST("ph_components: a lone infinity counts as one") {
  const PhComponents c = components(graph_of(4, {{0, 1}, {2, 3}}), {5, 2, 2, 2});
  CHECK(c.persistence == std::vector<double>{1.0, 1.0});
}

TEST("ph_components: vertices outside the input are in no component") {
  const PhComponents c = components(graph_of(3, {{0, 2}}), {5, 2, 2}, {1, 0, 1});
  CHECK(c.component == Vertices{0, -1, 0});
}

TEST("ph_components: components are connected, ordered by mode, and persist above the threshold") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random.below(30);
    const CsrGraph graph = random_graph(random, n, random.below(2 * n + 1));
    const std::vector<double> support = random_support(random, n, 12);
    H0Persistence h0;
    Persistence persistence;
    h0.compute(graph, support, Flags(n, 1), persistence);
    std::vector<double> scratch;
    PhComponents c;
    cut_components(persistence, support, scratch, c);
    CHECK(std::is_sorted(c.mode.begin(), c.mode.end()));
    for (std::size_t a = 0; a < c.count(); ++a) {
      CHECK(c.component[c.mode[a]] == static_cast<std::int32_t>(a));
      CHECK(persistence.value[c.mode[a]] > c.threshold);
      CHECK(c.persistence[a] > 0.0 && std::isfinite(c.persistence[a]));
    }
    for (std::size_t v = 0; v < n; ++v) {
      CHECK(c.component[v] >= 0 && c.component[v] < static_cast<std::int32_t>(c.count()));
      if (c.component[v] >= 0) CHECK(support[c.mode[c.component[v]]] >= support[v]);
    }
  }
}

TEST("ph_components: isolated vertices are removed from the input") {
  CHECK(chosen(graph_of(4, {{0, 3}}), {1, 9, 9, 1}) == Flags{1, 0, 0, 1});
}

TEST("ph_components: without edges the two densest stay, ties to the lower index") {
  CHECK(chosen(graph_of(4, {}), {1, 3, 9, 3}) == Flags{0, 1, 1, 0});
  CHECK(chosen(graph_of(3, {}), {2, 2, 2}) == Flags{1, 1, 0});
}

TEST("ph_components: one or two vertices always stay") {
  CHECK(chosen(graph_of(1, {}), {1}) == Flags{1});
  CHECK(chosen(graph_of(2, {}), {1, 5}) == Flags{1, 1});
}

TEST("ph_components: without persistence every input vertex is a component") {
  PhComponents c;
  separate_components(Flags{1, 0, 1, 1}, c);
  CHECK(c.component == Vertices{0, -1, 1, 2});
  CHECK(c.mode == Vertices{0, 2, 3});
  CHECK(c.persistence == std::vector<double>(3, 1.0) && c.threshold == 0.0);
}
