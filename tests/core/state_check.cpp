// The check of a state: what learning makes passes; what cannot be is refused, and the field is named.
#include "state/check.hpp"

#include <string>

#include "check.hpp"
#include "state/limits.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

const Settings kSettings{.dims = 3, .plus = true};

LearnerState learned() {
  Learner learner(kSettings);
  const auto rows = blobs(6, 500, 3, 5);
  for (std::size_t i = 0; i < 500; ++i) learner.learn(rows[i]);
  return learner.state();
}

// The field that a changed state is refused for, or nothing.
template <class Change>
std::string refused(Change change) {
  LearnerState state = learned();
  change(state);
  try {
    state::check_invariants(kSettings, state);
  } catch (const state::FieldError& error) {
    const std::string text = error.what();
    return text.substr(1, text.find('\'', 1) - 1);
  }
  return "";
}

}  // namespace

TEST("state_check: what was learned passes") {
  CHECK(refused([](LearnerState&) {}) == "");
}

TEST("state_check: each number has its range") {
  CHECK(refused([](auto& s) { s.nodes.representative[0][0] = 1.7e308; }) == "representative");
  CHECK(refused([](auto& s) { s.nodes.m2[1][0] = -1.0; }) == "m2");
  CHECK(refused([](auto& s) { s.nodes.support[0] = 0.0; }) == "support");
  CHECK(refused([](auto& s) { s.nodes.scale[0] = std::nan(""); }) == "scale");
  CHECK(refused([](auto& s) { s.vigilance.threshold = 1.5; }) == "vigilance");
  CHECK(refused([](auto& s) { s.n_seen = INT64_MAX; }) == "n_seen");
  CHECK(refused([](auto& s) { s.nodes.active[0] = 2; }) == "active");
  CHECK(refused([](auto& s) { s.far.log_theta = 1e9; }) == "log_theta");
}

TEST("state_check: fields agree with each other") {
  CHECK(refused([](auto& s) { s.nodes.component[0] = 1 << 20; }) == "component");
  CHECK(refused([](auto& s) { s.nodes.id[1] = s.nodes.id[0]; }) == "id");
  CHECK(refused([](auto& s) { s.moments.count += 1.0; }) == "stream_count");
  CHECK(refused([](auto& s) { s.nodes.support[0] += 1e6; }) == "support");
  CHECK(refused([](auto& s) { s.n_clusters = s.n_components + 1; }) == "n_clusters");
  CHECK(refused([](auto& s) { s.margins.next = 7; }) == "margins_next");
  CHECK(refused([](auto& s) { s.nodes.pairs.add_unpaired(0, 1 << 20); }) == "pair_count");
  CHECK(refused([](auto& s) { s.far.n_far = 1 << 20; }) == "n_far");
  CHECK(refused([](auto& s) {
          s.n_seen = std::int64_t{1} << 52;
          s.moments.count = 0x1p52;
          for (int i = 0; i < 9; ++i) s.nodes.pairs.add_unpaired(i, std::int64_t{1} << 59);
        }) == "pair_count");
}

TEST("state_check: settings that make no sense are refused") {
  const auto refuses = [](const Settings& settings) {
    CHECK_THROWS(state::FieldError, state::check_settings(settings));
  };
  refuses({.dims = 3, .half_life = -1.0, .plus = true});
  refuses({.dims = 3, .half_life = std::nan(""), .plus = true});
  refuses({.dims = 3, .half_life = 1e308 * 10.0, .plus = true});
  refuses({.dims = 3, .max_nodes = 2, .plus = true});
  refuses({.dims = 3, .max_nodes = std::size_t{1} << 40, .plus = true});
  refuses({.dims = 3, .released = true, .plus = true});
  state::check_settings({.dims = 3, .max_nodes = 3, .half_life = 10.0, .plus = true});
}
