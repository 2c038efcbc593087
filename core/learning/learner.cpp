#include "learning/learner.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "nodes/node_learning.hpp"
#include "numeric/entropy_count.hpp"

namespace phida {

Learner::Learner(const Settings& settings) : Learner(settings, LearnerState(settings.dims)) {}

Learner::Learner(const Settings& settings, LearnerState state)
    : settings_(settings),
      state_(std::move(state)),
      matcher_(settings.dims),
      plain_(!settings.released || state_.transformed.rows() == 0),
      window_(settings.dims),
      query_(padded(settings.dims), 0.0),
      row_before_(padded(settings.dims), 0.0),
      rest_row_(padded(settings.dims), 0.0) {
  const RowMatrix& rows = plain_ ? state_.nodes.representative : state_.transformed;
  for (std::size_t i = 0; i < rows.rows(); ++i) matcher_.append(rows[i]);
  if (settings.released && plain_ && state_.metric.present && !may_defer()) transform_rows();
}

void Learner::learn(const double* sample) {
  match_or_create(state_.samples.append(sample));
  ++state_.n_seen;
  ++state_.since_recalculation;
  if (state_.since_recalculation >= state_.vigilance.interval && state_.nodes.size() > 2)
    recalculate_vigilance();
}

// Everything but the vigilance.
void Learner::match_or_create(const double* x) {
  reading_.reset();
  state_.ended = false;
  step_ = {};
  NodeState& nodes = state_.nodes;
  if (nodes.size() < 3) {
    create(x);
    if (nodes.size() == 2) nodes.scale[0] = nodes.scale[1];
  } else {
    match_and_learn(x);
  }
  ++state_.since_refresh;
  const Switches& switches = settings_.switches;
  if (switches.mapping && switches.refresh && state_.since_refresh >= state_.vigilance.interval)
    refresh(state_.n_seen + 1, false);
}

void Learner::end_learning() {
  if (state_.nodes.size() == 0 || !settings_.switches.mapping) return;
  if (state_.ended) return follow_other_mapping();
  reading_.reset();
  refresh(state_.n_seen, true);
  state_.ended = true;
}

void Learner::create(const double* sample) {
  make_room();
  const double scale = state_.moments.add(sample);
  create_node(state_.nodes, sample, scale, state_.n_seen, state_.n_created++);
  state_.metric.present = false;
  scaling_.row_added(state_.nodes.representative[state_.nodes.size() - 1]);
  if (plain_) matcher_.append(sample);
  step_.created = true;
}

// A new node comes after a match, so that the metric is there.
void Learner::make_room() {
  if (settings_.max_nodes == 0 || state_.nodes.size() < settings_.max_nodes) return;
  budget_.make_room(state_.nodes, state_.metric.transform.scaling());
  refresher_.rows_unknown();
  nodes_left();
}

void Learner::match_and_learn(const double* sample) {
  bring_metric_up_to_date();
  NodeState& nodes = state_.nodes;
  const double gamma = state_.metric.transform.gamma;
  const WeightSource weights{nodes.m2, nodes.support, state_.moments};
  Match match;
  if (!settings_.released) {
    match = matcher_.nearest_two(sample, state_.metric.transform.scaling(), gamma,
                                 nodes.representative, weights);
  } else if (plain_) {
    match = matcher_.nearest_two_less(sample, state_.metric.transform.center.data(),
                                      nodes.representative);
  } else {
    transform_row(sample, query_.data());
    match = matcher_.nearest_two(query_.data(), nullptr, gamma, state_.transformed, weights);
  }
  const std::int32_t r = match.winner, b = match.runner_up;
  const double a_r = similarity(match.winner_distance, nodes.scale[r]);
  const double a_b = similarity(match.runner_up_distance, nodes.scale[b]);
  const double tau = state_.vigilance.threshold;
  step_ = {.matched = true,
           .winner = r,
           .runner_up = b,
           .winner_birth = nodes.birth[r],
           .winner_similarity = a_r,
           .runner_up_similarity = a_b,
           .gamma = gamma};
  state_.margins.append(a_r - tau);
  if (a_r < tau) {
    create(sample);
    return;
  }
  nodes.co_wins.add(r, b, one_sample());
  update(r, sample, 1.0);
  nodes.scale[r] = state_.moments.add(sample);
  if (a_b > tau && compatible(r, b)) {
    const double confidence = std::clamp((a_b - tau) / std::max(1.0 - tau, 1e-12), 0.0, 1.0);
    if (confidence > 0.0) {
      update(b, sample, confidence);
      step_.runner_up_updated = true;
    }
  }
  if (a_r > tau) {
    mark_active(r);
    if (a_b > tau) mark_active(b);
  }
}

void Learner::update(std::int32_t node, const double* sample, double gain) {
  NodeState& nodes = state_.nodes;
  const double* const row = nodes.representative[node];
  if (scaling_.watches_rows() || refresher_.watches_rows())
    std::copy_n(row, row_before_.size(), row_before_.begin());
  update_node(nodes, node, sample, gain);
  scaling_.row_moved(row_before_.data(), row);
  if (nodes.active[node]) refresher_.active_row_moved(row_before_.data(), row);
  if (plain_) {
    matcher_.set(node, nodes.representative[node]);
  } else {
    transform_row(nodes.representative[node], state_.transformed[node]);
    matcher_.set(node, state_.transformed[node]);
  }
}

void Learner::mark_active(std::int32_t node) {
  if (state_.nodes.active[node] || !has_median_support(state_.nodes, node)) return;
  state_.nodes.active[node] = 1;
  refresher_.row_activated(state_.nodes.representative[node]);
}

// The PH compatibility gate (zeta): a runner-up learns only if the component view does not separate it from the winner.
bool Learner::compatible(std::int32_t winner, std::int32_t runner_up) const {
  const std::vector<std::int32_t>& component = state_.nodes.component;
  return !gated() || (component[winner] != kNone && component[winner] == component[runner_up]);
}

// Is there a view that can separate nodes?
bool Learner::gated() const {
  const std::size_t few = std::max<std::size_t>(2 * state_.vigilance.interval, 8);
  return settings_.switches.ph && state_.has_map && state_.n_components >= 2 &&
         state_.nodes.size() >= few;
}

void Learner::bring_metric_up_to_date() {
  TrainMetric& metric = state_.metric;
  const NodeState& nodes = state_.nodes;
  const auto age = state_.n_seen - metric.at_step;
  if (metric.present && age < static_cast<std::int64_t>(state_.vigilance.interval)) return;
  const bool renew = settings_.released && !metric.present;
  // Rows keep the metric of their last write.
  if (settings_.released && plain_ && !renew) transform_rows();
  all_.resize(nodes.size());
  std::iota(all_.begin(), all_.end(), 0);
  scaling_.fit(nodes.representative, all_, metric.transform);
  if (settings_.released) scaling_.fit_center(nodes.representative, all_, metric.transform);
  metric.present = true;
  metric.at_step = state_.n_seen;
  if (renew) renew_rows();
}

// Whether rows that are all in the train metric may stay as they are: nothing but the centre is taken off them, and the
// matcher does that for the few that matter.
bool Learner::may_defer() const { return matcher_.wide() && state_.metric.transform.gamma == 0.0; }

void Learner::renew_rows() {
  if (!may_defer()) return transform_rows();
  state_.transformed.resize(0);
  if (!plain_) matcher_.assign(state_.nodes.representative, all_);
  plain_ = true;
}

void Learner::transform_rows() {
  const NodeState& nodes = state_.nodes;
  plain_ = false;
  state_.transformed.resize(nodes.size());
  matcher_.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    transform_row(nodes.representative[i], state_.transformed[i]);
    matcher_.set(i, state_.transformed[i]);
  }
}

void Learner::transform_row(const double* row, double* out) const {
  const FeatureTransform& transform = state_.metric.transform;
  for (std::size_t j = 0; j < settings_.dims; ++j)
    out[j] = (row[j] - transform.center[j]) * transform.inverse[j];
}

void Learner::recalculate_vigilance() {
  bring_metric_up_to_date();
  const NodeState& nodes = state_.nodes;
  const double largest = *std::max_element(nodes.scale.begin(), nodes.scale.end());
  state_.vigilance =
      recalculate(state_.vigilance, state_.samples, state_.metric.transform.scaling(),
                  1.0 / std::max(largest, 1e-12), cluster_ratio(), window_);
  if (settings_.max_nodes > 0)
    state_.vigilance.interval = std::min(state_.vigilance.interval, settings_.max_nodes);
  state_.samples.keep(2 * state_.vigilance.interval);
  state_.since_recalculation = 0;
}

// C / K.
double Learner::cluster_ratio() const {
  return std::min(cluster_count() / static_cast<double>(state_.nodes.size()), 1.0);
}

// The current cluster count C: of the last refresh, or what the supports are worth before there is one.
double Learner::cluster_count() const {
  const NodeState& nodes = state_.nodes;
  const double k = static_cast<double>(nodes.size());
  if (state_.n_clusters > 0) return std::min(static_cast<double>(state_.n_clusters), k);
  return std::clamp(entropy_count(nodes.support), 1.0, k);
}

// `learned` samples, with the one that is being learned.
void Learner::refresh(std::int64_t learned, bool ending) {
  const bool forgot = forget(state_.nodes, state_.moments);
  if (forgot) refresher_.rows_unknown();
  const bool removed = refresher_.refresh(state_.nodes, state_.moments, state_.vigilance.interval,
                                          settings_.switches, false);
  if (forgot || removed) nodes_left();
  state_.n_components = refresher_.view().n_components();
  state_.n_clusters = refresher_.view().n_clusters();
  state_.has_map = true;
  state_.since_refresh = 0;
  step_.refreshed = true;
  write_down(learned, ending);
}

// What became of the clusters, for readers.
void Learner::write_down(std::int64_t learned, bool ending) {
  if (mapping_ == Mapping::kPersistence) {
    refresher_.view().map_nodes(state_.nodes.size(), cluster_);
    follow(state_.n_clusters, learned);
  } else if (ending || may_map(learned)) {
    const NodeMap map = map_nodes(state_.nodes, refresher_.view(), mapping_);
    map.clusters(cluster_);
    follow(map.n_clusters(), learned);
  }
  state_.history.append({learned, state_.nodes.size(), state_.n_components,
                         state_.lineage.living.size(), state_.vigilance.threshold,
                         state_.vigilance.interval});
}

// A map by co-activation costs as much as a refresh, or more, and learning has no use for it: one is made after so many
// samples that it does not show.
bool Learner::may_map(std::int64_t learned) const {
  constexpr std::int64_t kSamplesPerNode = 8;
  return state_.lineage.living.empty() ||
         learned - state_.lineage.sample >=
             kSamplesPerNode * static_cast<std::int64_t>(state_.nodes.size());
}

// Ids go over to the mapping in use where the last one given was by the other.
void Learner::follow_other_mapping() {
  if (state_.lineage.by_coactivation == (mapping_ == Mapping::kCoactivation)) return;
  const std::shared_ptr<const Reading> now = reading();
  cluster_ = now->cluster;
  follow(now->map.n_clusters(), state_.n_seen);
  reading_.reset();
}

void Learner::follow(std::size_t n_clusters, std::int64_t learned) {
  state_.lineage.by_coactivation = mapping_ == Mapping::kCoactivation;
  succession_finder_.find(state_.nodes, cluster_, n_clusters, state_.lineage.living, succession_);
  commit(succession_, cluster_, learned, state_.nodes, state_.lineage);
}

// Samples fade by those that came since the last refresh; true if nodes went.
bool Learner::forget(NodeState& nodes, Moments& moments) {
  if (settings_.half_life == 0.0 || state_.since_refresh == 0) return false;
  return forgetting_.fade(nodes, moments, left_after(state_.since_refresh, settings_.half_life));
}

// What depends on which nodes there are is renewed.
void Learner::nodes_left() {
  const NodeState& nodes = state_.nodes;
  state_.metric.present = false;
  scaling_.all_changed();
  all_.resize(nodes.size());
  std::iota(all_.begin(), all_.end(), 0);
  if (plain_) matcher_.assign(nodes.representative, all_);
}

std::shared_ptr<const Reading> Learner::reading() {
  if (reading_) return reading_;
  if (state_.nodes.size() == 0) throw std::logic_error("nothing has been learned yet");
  if (!settings_.switches.mapping)
    throw std::logic_error("this learner has no mapping to clusters");
  Reading reading{.nodes = state_.nodes,
                  .counted = settings_.half_life == 0.0,
                  .moments = state_.moments,
                  .vigilance = state_.vigilance.threshold,
                  .margins = state_.margins.values,
                  .living = state_.lineage.living,
                  .n_ids = state_.lineage.n_ids};
  reader_.rows_unknown();
  if (state_.ended) {
    reader_.describe(reading.nodes, state_.moments, settings_.switches);
  } else {
    forget(reading.nodes, reading.moments);
    reader_.refresh(reading.nodes, reading.moments, state_.vigilance.interval, settings_.switches,
                    true);
  }
  reading.ph = reader_.view();
  finish(reading, mapping_, reader_quartiles_);
  reading_ = std::make_shared<const Reading>(std::move(reading));
  return reading_;
}

}  // namespace phida
