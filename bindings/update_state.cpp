#include "update_state.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "co_wins_state.hpp"
#include "entries.hpp"

namespace phida::bindings {
namespace {

constexpr std::int64_t kMostNodes = 1 << 24;  // memory in proportion to it can be had

void take_vigilance(const nb::dict& d, VigilanceState& state) {
  state.vigilance = {entry<std::size_t>(d, "interval"), entry<double>(d, "vigilance"),
                     entry<double>(d, "ratio")};
  state.since_recalculation = entry<std::size_t>(d, "since_recalculation");
  state.samples = samples(d, state.samples.dims());
  require(state.vigilance.interval >= 2, "update: 'interval' must be at least 2");
  for (std::size_t age = 0; age < state.samples.size(); ++age)
    require(all_finite(std::span<const double>{state.samples.recent(age), state.samples.dims()}),
            "update: 'samples' must be finite");
}

bool all_counts(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double x) { return x >= 0.0 && x < 0x1p53 && x == std::floor(x); });
}

// Within what the border lets in, so that no sum of squares overflows.
template <class Values>
bool all_of_size(const Values& values, double most) {
  return std::all_of(values.begin(), values.end(), [&](double x) { return std::abs(x) <= most; });
}

bool all_of_size(const RowMatrix& rows, double most) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    if (!all_of_size(std::span<const double>{rows[i], rows.cols()}, most)) return false;
  return true;
}

template <class Values>
bool none_negative(const Values& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return x >= 0.0; });
}

// What a worker can have counted of its rows.
void check_counts(const LocalUpdate& update) {
  const NodeStatistics& s = update.nodes;
  const double counted = update.moments.count;
  double wins = 0.0;
  for (std::size_t k = 0; k < s.size(); ++k) {
    wins += s.wins[k];
    require(s.wins[k] <= s.count[k] && s.count[k] <= counted && s.marks[k] <= counted,
            "update: a node with more rows than were counted");
    require(none_negative(std::span<const double>{s.m2[k], s.m2.cols()}),
            "update: 'm2' must not be negative");
  }
  require(wins == counted, "update: its nodes did not win as many rows as it counted");
  double together = 0.0;
  update.co_wins.each([&](std::int32_t, std::int32_t, std::int64_t count) {
    together += static_cast<double>(count);
  });
  require(together <= counted * static_cast<double>(CoWins::kFading),
          "update: more rows won together than were counted");
}

// An update may come from anybody.
void check(const LocalUpdate& update) {
  constexpr double kLargest = 1e140;
  constexpr std::size_t kLongest = std::size_t{1} << 25;
  const NodeStatistics& s = update.nodes;
  for (std::size_t k = 0; k < s.size(); ++k)
    require(s.node[k] >= 0 && s.node[k] < update.made_against.n_nodes &&
                (k == 0 || s.node[k - 1] < s.node[k]),
            "update: 'node' must be ascending nodes of the model");
  require(all_counts(s.count) && all_counts(s.wins) && all_counts(s.marks) &&
              all_counts({update.moments.count}),
          "update: counts must be whole numbers from 0");
  require(all_finite(s.mean) && all_finite(s.m2) && all_finite(s.pull) && all_finite(update.rest) &&
              all_finite(update.moments.mean) && all_finite(update.moments.m2) &&
              all_finite(update.margins) && all_finite(update.threshold) &&
              std::isfinite(update.vigilance.vigilance.threshold) &&
              std::isfinite(update.vigilance.vigilance.ratio),
          "update: every number must be finite");
  require(all_of_size(s.mean, kLargest) && all_of_size(update.rest, kLargest) &&
              all_of_size(update.moments.mean, kLargest) && all_of_size(s.pull, 1e160) &&
              none_negative(update.moments.m2),
          "update: rows beyond 1e140, or a negative variance");
  const Vigilance& v = update.vigilance.vigilance;
  require(v.threshold >= 0.0 && v.threshold <= 1.0 && v.ratio >= 0.0 && v.ratio <= 1.0 &&
              v.interval <= kLongest,
          "update: a vigilance that cannot be");
  for (const double t : update.threshold)
    require(t >= 0.0 && t <= 1.0, "update: a vigilance that cannot be");
  check_counts(update);
}

}  // namespace

nb::dict to_dict(const LocalUpdate& update) {
  const NodeStatistics& s = update.nodes;
  const auto real = [&](const AlignedDoubles& row) {
    return to_array(std::span<const double>{row.data(), update.rest.cols()});
  };
  nb::dict d;
  d["n_seen"] = update.made_against.n_seen;
  d["n_created"] = update.made_against.n_created;
  d["n_nodes"] = update.made_against.n_nodes;
  d["node"] = to_array(s.node);
  d["count"] = to_array(s.count);
  d["wins"] = to_array(s.wins);
  d["marks"] = to_array(s.marks);
  d["mean"] = to_array(s.mean);
  d["m2"] = to_array(s.m2);
  d["pull"] = to_array(s.pull);
  d["counted"] = update.moments.count;
  d["counted_mean"] = real(update.moments.mean);
  d["counted_m2"] = real(update.moments.m2);
  put_co_wins(d, update.co_wins);
  d["rest"] = to_array(update.rest);
  d["threshold"] = to_array(update.threshold);
  d["margins"] = to_array(update.margins);
  const VigilanceState& v = update.vigilance;
  d["interval"] = v.vigilance.interval;
  d["vigilance"] = v.vigilance.threshold;
  d["ratio"] = v.vigilance.ratio;
  d["since_recalculation"] = v.since_recalculation;
  RowMatrix recent(update.rest.cols());
  for (std::size_t age = v.samples.size(); age-- > 0;) recent.append(v.samples.recent(age));
  d["samples"] = to_array(recent);
  d["samples_kept"] = v.samples.kept();
  return d;
}

LocalUpdate update_from_dict(const nb::dict& d, std::size_t dims) {
  LocalUpdate update(dims);
  update.made_against = {entry<std::int64_t>(d, "n_seen"), entry<std::int64_t>(d, "n_created"),
                         entry<std::int64_t>(d, "n_nodes")};
  require(update.made_against.n_nodes >= 0 && update.made_against.n_nodes <= kMostNodes,
          "update: 'n_nodes' is out of range");
  update.co_wins = co_wins_from(d, static_cast<std::size_t>(update.made_against.n_nodes));
  NodeStatistics& s = update.nodes;
  s.node = column<std::int32_t>(d, "node");
  const std::size_t n = s.node.size();
  s.count = column<double>(d, "count", n);
  s.wins = column<double>(d, "wins", n);
  s.marks = column<double>(d, "marks", n);
  s.mean = rows(d, "mean", n, dims);
  s.m2 = rows(d, "m2", n, dims);
  s.pull = rows(d, "pull", n, dims);
  update.moments.count = entry<double>(d, "counted");
  update.moments.mean = features(d, "counted_mean", dims);
  update.moments.m2 = features(d, "counted_m2", dims);
  update.threshold = column<double>(d, "threshold");
  update.rest = rows(d, "rest", update.threshold.size(), dims);
  update.margins = column<double>(d, "margins");
  take_vigilance(d, update.vigilance);
  check(update);
  return update;
}

}  // namespace phida::bindings
