// Learning from rows that were matched elsewhere (docs/decisions/partitions.md).
#include <algorithm>

#include "learning/learner.hpp"
#include "nodes/node_learning.hpp"

namespace phida {

StateMark Learner::mark() const {
  return {state_.n_seen, state_.n_created, static_cast<std::int64_t>(state_.nodes.size())};
}

LocalUpdate Learner::local_update(const double* rows, std::size_t n, std::size_t sample,
                                  std::uint64_t seed) const {
  VigilanceState from(settings_.dims);
  from.vigilance = state_.vigilance;
  from.far = state_.far;
  from.samples = state_.samples;
  from.since_recalculation = state_.since_recalculation;
  const double ratio = state_.nodes.size() > 0 ? cluster_ratio() : 1.0;
  LocalUpdate update = phida::local_update({state_.nodes, state_.moments, gated(), ratio,
                                            settings_.max_nodes, from, settings_.plus, unit()},
                                           rows, n, sample, seed);
  update.made_against = mark();
  return update;
}

void Learner::fold(std::span<const LocalUpdate> updates) {
  drop_readings();
  state_.ended = false;
  step_ = {};
  NodeState& nodes = state_.nodes;
  fold_nodes(updates, nodes);
  std::size_t counted = 0;
  std::vector<double> wins(nodes.size(), 0.0), marks(nodes.size(), 0.0);
  for (const LocalUpdate& update : updates) {
    fold_moments(update.moments, state_.moments);
    counted += update.counted();
    const NodeStatistics& s = update.nodes;
    for (std::size_t k = 0; k < s.size(); ++k) {
      wins[s.node[k]] += s.wins[k];
      marks[s.node[k]] += s.marks[k];
    }
  }
  const double scale = state_.moments.scale();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.won[i] += static_cast<std::int64_t>(wins[i]);
    if (wins[i] > 0.0) nodes.scale[i] = scale;
    if (marks[i] > 0.0 && has_median_support(nodes, static_cast<std::int32_t>(i)))
      nodes.active[i] = 1;
  }
  nodes_left();  // none has, but all may have moved
  refresher_.rows_unknown();
  state_.n_seen += static_cast<std::int64_t>(counted);
  state_.since_refresh += counted;
  if (settings_.switches.mapping && settings_.switches.refresh) refresh(state_.n_seen, false);
}

// The worker has adjusted the thresholds for it already.
void Learner::learn_rest(const double* sample, const Thresholds& met) {
  state_.vigilance.threshold = met.vigilance;
  state_.far.present = met.log_theta < FarSamples::kAbsent;
  if (state_.far.present) state_.far.log_theta = met.log_theta;
  std::copy_n(sample, settings_.dims, rest_row_.begin());
  match_or_create(rest_row_.data(), false);
  ++state_.n_seen;
}

void Learner::take_over(std::span<const LocalUpdate> updates, RecentMargins margins_before,
                        FarSamples far_before) {
  state_.margins = std::move(margins_before);
  const std::size_t each = std::max<std::size_t>(kMostMargins / updates.size(), 1);
  for (const LocalUpdate& update : updates) {
    const std::vector<double>& margins = update.margins;
    for (std::size_t i = margins.size() - std::min(each, margins.size()); i < margins.size(); ++i)
      state_.margins.append(margins[i]);
  }
  const VigilanceState& last = updates.back().vigilance;
  state_.vigilance = last.vigilance;
  state_.samples = last.samples;
  state_.since_recalculation = last.since_recalculation;
  // Steps of the threshold and far samples add up. Where there was no threshold, the first worker that saw one sets it.
  state_.far = far_before;
  for (const LocalUpdate& update : updates) {
    const FarSamples& seen = update.vigilance.far;
    state_.far.n_far += seen.n_far - far_before.n_far;
    if (!seen.present) continue;
    if (far_before.present)
      state_.far.log_theta += seen.log_theta - far_before.log_theta;
    else if (!state_.far.present)
      state_.far.log_theta = seen.log_theta;
    state_.far.present = true;
  }
  state_.far.log_theta = std::max(state_.far.log_theta, FarSamples::kFloor);
}

}  // namespace phida
