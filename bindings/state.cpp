#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "co_wins_state.hpp"
#include "entries.hpp"
#include "lineage_state.hpp"

namespace phida::bindings {
namespace {

// Nobody needs more, and memory in proportion to it can be had.
constexpr std::size_t kMostNodes = 1 << 24;

template <class Values>
bool all_positive(const Values& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double x) { return std::isfinite(x) && x > 0.0; });
}

// A state may come from a file that anybody wrote: nothing that learning relies on is taken on trust.
void check(const LearnerState& s, const Settings& settings) {
  const NodeState& nodes = s.nodes;
  require(s.n_seen >= 0 && s.n_created >= 0,
          "state: 'n_seen' and 'n_created' must not be negative");
  require(std::isfinite(s.vigilance.threshold) && std::isfinite(s.vigilance.ratio),
          "state: 'vigilance' and 'ratio' must be finite");
  require(all_finite(nodes.representative) && all_finite(nodes.mean) && all_finite(nodes.m2),
          "state: nodes must be finite");
  require(all_positive(nodes.support) && all_positive(nodes.scale),
          "state: 'support' and 'scale' must be positive");
  require(std::all_of(nodes.active.begin(), nodes.active.end(), [](auto a) { return a <= 1; }),
          "state: 'active' must be 0 or 1");
  require(std::isfinite(s.moments.count) && s.moments.count >= 0.0 && all_finite(s.moments.mean) &&
              all_finite(s.moments.m2),
          "state: the stream's moments must be finite");
  for (std::size_t age = 0; age < s.samples.size(); ++age)
    require(all_finite(std::span<const double>{s.samples.recent(age), nodes.dims()}),
            "state: 'samples' must be finite");
  // Nodes that were merged to make room may have left fewer of them than there are components.
  require(s.n_components <= std::max(nodes.size(), settings.max_nodes) &&
              s.n_clusters <= s.n_components,
          "state: more clusters than components, or more components than nodes");
  if (!s.metric.present) return;
  const FeatureTransform& transform = s.metric.transform;
  require(transform.gamma >= 0.0 && transform.gamma <= 1.0,
          "state: 'metric_gamma' is out of range");
  require(all_positive(std::span<const double>{transform.inverse.data(), nodes.dims()}) &&
              all_finite(transform.center) && all_finite(s.transformed),
          "state: the metric must be finite");
}

}  // namespace

void check_limits(std::size_t max_nodes, double half_life) {
  require(max_nodes == 0 || (max_nodes >= 3 && max_nodes <= kMostNodes),
          "max_nodes must be 0 or from 3 to 16777216");
  require(half_life >= 0.0 && std::isfinite(half_life), "half_life must be 0 or positive");
}

nb::dict to_dict(const Learner& learner) {
  const Settings& settings = learner.settings();
  const LearnerState& s = learner.state();
  const NodeState& nodes = s.nodes;
  const auto real = [&](const AlignedDoubles& row) {
    return to_array(std::span<const double>{row.data(), settings.dims});
  };
  nb::dict d;
  d["n_features"] = settings.dims;
  d["released"] = settings.released;
  d["ph"] = settings.switches.ph;
  d["refresh"] = settings.switches.refresh;
  d["remove"] = settings.switches.remove;
  d["prune"] = settings.switches.prune;
  d["mapping"] = settings.switches.mapping;
  d["max_nodes"] = settings.max_nodes;
  d["half_life"] = settings.half_life;
  d["n_seen"] = s.n_seen;
  d["n_created"] = s.n_created;
  d["interval"] = s.vigilance.interval;
  d["vigilance"] = s.vigilance.threshold;
  d["ratio"] = s.vigilance.ratio;
  d["since_recalculation"] = s.since_recalculation;
  d["since_refresh"] = s.since_refresh;
  d["n_components"] = s.n_components;
  d["n_clusters"] = s.n_clusters;
  d["has_map"] = s.has_map;
  d["ended"] = s.ended;
  d["representative"] = to_array(nodes.representative);
  d["mean"] = to_array(nodes.mean);
  d["m2"] = to_array(nodes.m2);
  d["support"] = to_array(nodes.support);
  d["scale"] = to_array(nodes.scale);
  d["active"] = to_array(nodes.active);
  d["birth"] = to_array(nodes.birth);
  d["id"] = to_array(nodes.id);
  d["component"] = to_array(nodes.component);
  d["stream_count"] = s.moments.count;
  d["stream_mean"] = real(s.moments.mean);
  d["stream_m2"] = real(s.moments.m2);
  RowMatrix recent(settings.dims);
  for (std::size_t age = s.samples.size(); age-- > 0;) recent.append(s.samples.recent(age));
  d["samples"] = to_array(recent);
  d["samples_kept"] = s.samples.kept();
  d["metric_present"] = s.metric.present;
  d["metric_step"] = s.metric.at_step;
  if (s.metric.present) {
    if (settings.released) d["metric_center"] = real(s.metric.transform.center);
    d["metric_inverse"] = real(s.metric.transform.inverse);
    d["metric_gamma"] = s.metric.transform.gamma;
  }
  if (settings.released) d["transformed"] = to_array(s.transformed);
  d["coactivation"] = learner.mapping() == Mapping::kCoactivation;
  d["counted_from"] = s.counted_from;
  put_co_wins(d, nodes.co_wins);
  put_lineage(d, s);
  return d;
}

Learner from_dict(const nb::dict& d) {
  Settings settings;
  settings.dims = entry<std::size_t>(d, "n_features");
  settings.released = entry<bool>(d, "released");
  settings.switches = {entry<bool>(d, "ph"), entry<bool>(d, "refresh"), entry<bool>(d, "remove"),
                       entry<bool>(d, "prune"), entry<bool>(d, "mapping")};
  // States of version 0.1 have neither.
  if (d.contains("max_nodes")) settings.max_nodes = entry<std::size_t>(d, "max_nodes");
  if (d.contains("half_life")) settings.half_life = entry<double>(d, "half_life");
  check_limits(settings.max_nodes, settings.half_life);
  const std::size_t dims = settings.dims;
  require(dims > 0, "state: 'n_features' must be positive");
  LearnerState s(dims);
  s.n_seen = entry<std::int64_t>(d, "n_seen");
  s.n_created = entry<std::int64_t>(d, "n_created");
  s.vigilance = {entry<std::size_t>(d, "interval"), entry<double>(d, "vigilance"),
                 entry<double>(d, "ratio")};
  require(s.vigilance.interval >= 2, "state: 'interval' must be at least 2");
  s.since_recalculation = entry<std::size_t>(d, "since_recalculation");
  s.since_refresh = entry<std::size_t>(d, "since_refresh");
  s.n_components = entry<std::size_t>(d, "n_components");
  s.n_clusters = entry<std::size_t>(d, "n_clusters");
  s.has_map = entry<bool>(d, "has_map");
  s.ended = entry<bool>(d, "ended");

  NodeState& nodes = s.nodes;
  const std::size_t n = entry<Vector>(d, "support").shape(0);
  nodes.support = column<double>(d, "support", n);
  nodes.representative = rows(d, "representative", n, dims);
  nodes.mean = rows(d, "mean", n, dims);
  nodes.m2 = rows(d, "m2", n, dims);
  nodes.scale = column<double>(d, "scale", n);
  nodes.active = column<std::uint8_t>(d, "active", n);
  nodes.birth = column<std::int64_t>(d, "birth", n);
  nodes.id = column<std::int64_t>(d, "id", n);
  nodes.component = column<std::int32_t>(d, "component", n);
  for (std::size_t i = 0; i < n; ++i) nodes.stamp.push_back(++nodes.changes);
  take_co_wins(d, s);
  take_lineage(d, s);
  for (const std::int32_t c : nodes.component)
    require(c == kNone || (c >= 0 && static_cast<std::size_t>(c) < s.n_components),
            "state: 'component' is out of range");
  require(settings.max_nodes == 0 || n <= settings.max_nodes, "state: more nodes than 'max_nodes'");

  s.moments.count = entry<double>(d, "stream_count");
  s.moments.mean = features(d, "stream_mean", dims);
  s.moments.m2 = features(d, "stream_m2", dims);
  s.samples = samples(d, dims);
  s.metric.present = entry<bool>(d, "metric_present");
  s.metric.at_step = entry<std::int64_t>(d, "metric_step");
  if (s.metric.present) {
    FeatureTransform& transform = s.metric.transform;
    if (settings.released) transform.center = features(d, "metric_center", dims);
    transform.inverse = features(d, "metric_inverse", dims);
    transform.gamma = entry<double>(d, "metric_gamma");
  }
  if (settings.released) {
    const auto transformed = entry<Matrix>(d, "transformed");
    s.transformed = rows(d, "transformed", transformed.shape(0), dims);
    require(!s.metric.present || s.transformed.rows() == n || s.transformed.rows() == 0,
            "state: 'transformed' has the wrong shape");
  }
  check(s, settings);
  Learner learner(settings, std::move(s));
  if (d.contains("coactivation") && entry<bool>(d, "coactivation"))
    learner.map_by(Mapping::kCoactivation);
  return learner;
}

}  // namespace phida::bindings
