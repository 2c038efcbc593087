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
      matches_raw_(!settings.released || state_.transformed.rows() == 0),
      window_(settings.dims),
      query_(padded(settings.dims), 0.0),
      row_before_(padded(settings.dims), 0.0) {
  const RowMatrix& rows = matches_raw_ ? state_.nodes.representative : state_.transformed;
  for (std::size_t i = 0; i < rows.rows(); ++i) matcher_.append(rows[i]);
  if (settings.released && matches_raw_ && state_.metric.present && !may_defer()) transform_rows();
}

void Learner::learn(const double* sample) {
  const double* const x = state_.samples.append(sample);
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
  ++state_.n_seen;
  ++state_.since_recalculation;
  if (state_.since_recalculation >= state_.vigilance.interval && nodes.size() > 2)
    recalculate_vigilance();
}

void Learner::end_learning() {
  if (state_.nodes.size() == 0 || !settings_.switches.mapping || state_.ended) return;
  reading_.reset();
  refresh(state_.n_seen, true);
  state_.ended = true;
}

void Learner::create(const double* sample) {
  const double scale = state_.moments.add(sample);
  create_node(state_.nodes, sample, scale, state_.n_seen, state_.n_created++);
  state_.metric.present = false;
  scaling_.row_added(state_.nodes.representative[state_.nodes.size() - 1]);
  if (matches_raw_) matcher_.append(sample);
  step_.created = true;
}

Match Learner::match(const double* sample) {
  const NodeState& nodes = state_.nodes;
  const double gamma = state_.metric.transform.gamma;
  const WeightSource weights{nodes.m2, nodes.support, state_.moments};
  if (!settings_.released)
    return matcher_.nearest_two(sample, state_.metric.transform.scaling(), gamma,
                                nodes.representative, weights);
  if (matches_raw_)
    return matcher_.nearest_two_less(sample, state_.metric.transform.center.data(),
                                     nodes.representative);
  transform_row(sample, query_.data());
  return matcher_.nearest_two(query_.data(), nullptr, gamma, state_.transformed, weights);
}

// Whether a new node is so near to the winner that the winner's cluster may have moved there: at most three times as
// far away as the farthest sample that needs no new node.
bool is_beside(double winner_similarity, double vigilance) {
  constexpr double kReach = 3.0;
  return 1.0 / winner_similarity - 1.0 <= kReach * (1.0 / vigilance - 1.0);
}

void Learner::match_and_learn(const double* sample) {
  bring_metric_up_to_date();
  NodeState& nodes = state_.nodes;
  const Match found = match(sample);
  const std::int32_t r = found.winner, b = found.runner_up;
  const double a_r = similarity(found.winner_distance, nodes.scale[r]);
  const double a_b = similarity(found.runner_up_distance, nodes.scale[b]);
  const double tau = state_.vigilance.threshold;
  step_ = {.matched = true,
           .winner = r,
           .runner_up = b,
           .winner_birth = nodes.birth[r],
           .winner_cluster = nodes.lineage.cluster_id[r],
           .winner_parent = nodes.lineage.parent_id[r],
           .winner_similarity = a_r,
           .runner_up_similarity = a_b,
           .gamma = state_.metric.transform.gamma};
  state_.margins.append(a_r - tau);
  if (a_r < tau) {
    const std::int64_t parent = nodes.lineage.cluster_id[r] != kNone ? nodes.lineage.cluster_id[r]
                                                                     : nodes.lineage.parent_id[r];
    create(sample);
    nodes.lineage.parent_id.back() = is_beside(a_r, tau) ? parent : kNone;
    return;
  }
  ++nodes.lineage.won[r];
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
  if (matches_raw_) {
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

// Whether the gate is in use: the last refresh found several components, and there are enough nodes.
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
  if (settings_.released && matches_raw_ && !renew) transform_rows();
  all_.resize(nodes.size());
  std::iota(all_.begin(), all_.end(), 0);
  scaling_.fit(nodes.representative, all_, metric.transform);
  if (settings_.released) scaling_.fit_center(nodes.representative, all_, metric.transform);
  metric.present = true;
  metric.at_step = state_.n_seen;
  if (renew) renew_rows();
}

// Whether rows in the training metric need not be stored transformed: with gamma = 0 the transformation only
// subtracts the centre, and a matcher for many features does that for the few candidates.
bool Learner::may_defer() const { return matcher_.wide() && state_.metric.transform.gamma == 0.0; }

void Learner::renew_rows() {
  if (!may_defer()) return transform_rows();
  state_.transformed.resize(0);
  if (!matches_raw_) matcher_.assign(state_.nodes.representative);
  matches_raw_ = true;
}

void Learner::transform_rows() {
  const NodeState& nodes = state_.nodes;
  matches_raw_ = false;
  state_.transformed.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    transform_row(nodes.representative[i], state_.transformed[i]);
  matcher_.assign(state_.transformed);
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
  state_.samples.keep(2 * state_.vigilance.interval);
  state_.since_recalculation = 0;
}

// C / K.
double Learner::cluster_ratio() const {
  return std::min(cluster_count() / static_cast<double>(state_.nodes.size()), 1.0);
}

// The current cluster count C: that of the last refresh. Before the first one, the effective number of nodes by
// support.
double Learner::cluster_count() const {
  const NodeState& nodes = state_.nodes;
  const double k = static_cast<double>(nodes.size());
  if (state_.n_clusters > 0) return std::min(static_cast<double>(state_.n_clusters), k);
  return std::clamp(entropy_count(nodes.support), 1.0, k);
}

// `learned`: number of samples, including the current one.
void Learner::refresh(std::int64_t learned, bool ending) {
  if (refresher_.refresh(state_.nodes, state_.moments, state_.vigilance.interval,
                         settings_.switches, false))
    nodes_left();
  state_.n_components = refresher_.view().n_components();
  state_.n_clusters = refresher_.view().n_clusters();
  state_.has_map = true;
  state_.since_refresh = 0;
  step_.refreshed = true;
  record_refresh(learned, ending);
}

// Updates lineage and history, which only readers use.
void Learner::record_refresh(std::int64_t learned, bool ending) {
  map_published(refresher_.view(), state_.nodes.size(), map_);
  map_.clusters(cluster_);
  tracker_.update({.cluster = cluster_,
                   .n_clusters = map_.n_clusters(),
                   .support = state_.nodes.support,
                   .sample = learned,
                   .certain = ending && learned <= kFirstRows},
                  state_.nodes.lineage, state_.lineage);
  state_.history.append({learned, state_.nodes.size(), state_.n_components,
                         state_.lineage.living.size(), state_.vigilance.threshold,
                         state_.vigilance.interval});
}

// Updates everything that depends on the set of nodes.
void Learner::nodes_left() {
  const NodeState& nodes = state_.nodes;
  state_.metric.present = false;
  scaling_.all_changed();
  if (matches_raw_) matcher_.assign(nodes.representative);
}

std::shared_ptr<const Reading> Learner::reading() {
  if (reading_) return reading_;
  if (state_.nodes.size() == 0) throw std::logic_error("nothing has been learned yet");
  if (!settings_.switches.mapping)
    throw std::logic_error("this learner has no mapping to clusters");
  Learned learned{.nodes = state_.nodes,
                  .moments = state_.moments,
                  .vigilance = state_.vigilance.threshold,
                  .margins = state_.margins.values,
                  .lineage = state_.lineage.without_events()};
  reader_.rows_unknown();
  if (state_.ended)
    reader_.describe(learned.nodes, state_.moments, settings_.switches);
  else
    reader_.refresh(learned.nodes, state_.moments, state_.vigilance.interval, settings_.switches,
                    true);
  learned.ph = reader_.view();
  map_published(learned.ph, learned.nodes.size(), learned.map);
  reading_ = std::make_shared<const Reading>(std::move(learned));
  return reading_;
}

}  // namespace phida
