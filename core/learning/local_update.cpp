#include "learning/local_update.hpp"

#include <algorithm>
#include <numeric>

#include "nodes/matching.hpp"
#include "nodes/recent_margins.hpp"

namespace phida {
namespace {

// SplitMix64: well mixed bits of any number.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// One row out of each of `sample` stretches of nearly equal length.
std::vector<std::uint8_t> choose(std::size_t n, std::size_t sample, std::uint64_t seed) {
  std::vector<std::uint8_t> chosen(n, sample >= n);
  if (sample >= n) return chosen;
  for (std::size_t k = 0; k < sample; ++k) {
    const std::size_t first = k * n / sample, end = (k + 1) * n / sample;
    chosen[first + mixed(seed ^ mixed(k)) % (end - first)] = 1;
  }
  return chosen;
}

// The vigilance along a worker's rows; nodes and clusters stay as they are.
class VigilanceWalk {
 public:
  VigilanceWalk(const FrozenModel& model, const double* scaling, VigilanceState& state)
      : model_(model), scaling_(scaling), state_(state), window_(model.nodes.dims()) {
    const std::vector<double>& scale = model.nodes.scale;
    alpha_ = 1.0 / std::max(*std::max_element(scale.begin(), scale.end()), 1e-12);
  }

  // Returns the padded row.
  const double* enter(const double* row) { return state_.samples.append(row); }

  void leave() {
    if (++state_.since_recalculation < state_.vigilance.interval) return;
    state_.vigilance =
        recalculate(state_.vigilance, state_.samples, scaling_, alpha_, model_.ratio, window_);
    if (model_.max_nodes > 0)
      state_.vigilance.interval = std::min(state_.vigilance.interval, model_.max_nodes);
    state_.samples.keep(2 * state_.vigilance.interval);
    state_.since_recalculation = 0;
  }

 private:
  const FrozenModel& model_;
  const double* scaling_;
  VigilanceState& state_;
  SimilarityWindow window_;
  double alpha_ = 1.0;
};

// Statistics of all nodes, of which the used ones are kept in the end.
class Collector {
 public:
  Collector(const NodeState& nodes, LocalUpdate& update)
      : nodes_(nodes), update_(update), all_(update.nodes) {
    const std::size_t n = nodes.size();
    for (auto* column : {&all_.count, &all_.wins, &all_.marks}) column->assign(n, 0.0);
    for (auto* rows : {&all_.mean, &all_.m2, &all_.pull}) rows->resize(n);
  }

  void won(std::int32_t node, const double* row) {
    update_.moments.add(row);
    all_.wins[node] += 1.0;
    learned(node, row, 1.0);
  }
  void learned(std::int32_t node, const double* row, double gain) {
    const double count = all_.count[node] += 1.0;
    kernels().welford(row, count, all_.mean[node], all_.m2[node], nodes_.mean.stride());
    const double* const y = nodes_.representative[node];
    double* const pull = all_.pull[node];
    for (std::size_t j = 0; j < nodes_.dims(); ++j) pull[j] += gain * (row[j] - y[j]);
  }
  void marked(std::int32_t node) { all_.marks[node] += 1.0; }

  void finish() {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (all_.count[i] > 0.0 || all_.marks[i] > 0.0) kept.push_back(i);
    all_.node.assign(kept.begin(), kept.end());
    for (auto* column : {&all_.count, &all_.wins, &all_.marks}) {
      for (std::size_t k = 0; k < kept.size(); ++k) (*column)[k] = (*column)[kept[k]];
      column->resize(kept.size());
    }
    for (auto* rows : {&all_.mean, &all_.m2, &all_.pull}) rows->keep(kept);
  }

 private:
  const NodeState& nodes_;
  LocalUpdate& update_;
  NodeStatistics& all_;
};

}  // namespace

LocalUpdate local_update(const FrozenModel& model, const double* rows, std::size_t n,
                         std::size_t sample, std::uint64_t seed) {
  const NodeState& nodes = model.nodes;
  const std::size_t dims = nodes.dims();
  LocalUpdate update(dims);
  update.plus = model.plus;
  update.vigilance = model.from;
  // As a row meets them; the first row that has a misfit sets an absent threshold, for itself too.
  const auto thresholds = [&]() -> Thresholds {
    const FarSamples& far = update.vigilance.far;
    return {update.vigilance.vigilance.threshold,
            far.present ? far.log_theta : FarSamples::kAbsent};
  };
  const auto leave = [&](std::size_t i, const Thresholds& met) {
    update.rest.append(rows + i * dims);
    update.threshold.push_back(met.vigilance);
    update.log_theta.push_back(met.log_theta);
  };
  if (nodes.size() < 3) {
    for (std::size_t i = 0; i < n; ++i) leave(i, thresholds());
    return update;
  }
  const std::vector<std::uint8_t> chosen = choose(n, sample, seed);
  std::vector<std::int32_t> all(nodes.size());
  std::iota(all.begin(), all.end(), 0);
  ColumnQuartiles quartiles;
  FeatureTransform transform;
  fit_scaling(nodes.representative, all, 0, quartiles, transform);
  Matcher matcher(dims);
  matcher.assign(nodes.representative, all);
  const WeightSource weights{nodes.m2, nodes.support, model.moments};
  VigilanceWalk walk(model, transform.scaling(), update.vigilance);
  Collector collector(nodes, update);
  for (std::size_t i = 0; model.plus && i < nodes.size(); ++i) update.pairs.add_node();
  const std::size_t n_single = nodes.n_single();
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = walk.enter(rows + i * dims);
    const Match match = matcher.nearest_two(row, transform.scaling(), transform.gamma,
                                            nodes.representative, weights);
    const std::int32_t r = match.winner, b = match.runner_up;
    const double a_r = similarity(match.winner_distance, nodes.scale[r]);
    const Thresholds met = thresholds();
    const Vigilance& window = update.vigilance.vigilance;
    const auto [creates, tau] =
        model.plus
            ? judge_plus(
                  FarSamples::misfit(match.winner_distance, nodes.scale[r], nodes.support[r]), a_r,
                  window, [&] { return n_single; }, true, update.vigilance.far)
            : Verdict{a_r < window.threshold, window.threshold};
    if (i + kMostMargins >= n) update.margins.push_back(a_r - tau);
    if (chosen[i] || creates) {
      leave(i, met);
    } else {
      const double a_b = similarity(match.runner_up_distance, nodes.scale[b]);
      const bool same = nodes.component[r] != kNone && nodes.component[r] == nodes.component[b];
      const double confidence = std::clamp((a_b - tau) / std::max(1.0 - tau, 1e-12), 0.0, 1.0);
      collector.won(r, row);
      if (model.plus) {
        const double offset =
            offset_from_plane(row, nodes.representative[r], nodes.representative[b],
                              transform.scaling(), nodes.representative.stride());
        update.pairs.add({r, b, model.unit, offset, offset * offset});
      }
      if (confidence > 0.0 && (same || !model.gate)) collector.learned(b, row, confidence);
      if (a_r > tau) collector.marked(r);
      if (a_r > tau && a_b > tau) collector.marked(b);
    }
    walk.leave();
  }
  collector.finish();
  return update;
}

void fold_nodes(std::span<const LocalUpdate> updates, NodeState& nodes) {
  RowMatrix pull(nodes.dims());
  pull.resize(nodes.size());
  std::vector<std::uint8_t> moved(nodes.size(), 0);
  for (const LocalUpdate& update : updates) {
    const NodeStatistics& more = update.nodes;
    for (std::size_t k = 0; k < more.size(); ++k) {
      const auto i = static_cast<std::size_t>(more.node[k]);
      if (more.count[k] == 0.0) continue;
      const double before = nodes.support[i];
      nodes.support[i] = before + more.count[k];
      const double share = more.count[k] / nodes.support[i], both = before * share;
      for (std::size_t j = 0; j < nodes.dims(); ++j) {
        const double apart = more.mean[k][j] - nodes.mean[i][j];
        nodes.mean[i][j] += share * apart;
        nodes.m2[i][j] =
            std::min(nodes.m2[i][j] + (more.m2[k][j] + both * (apart * apart)), kMostSquares);
        pull[i][j] += more.pull[k][j];
      }
      moved[i] = 1;
    }
    for (const PairSums& sums : update.pairs.sorted()) nodes.pairs.add(sums);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!moved[i]) continue;
    for (std::size_t j = 0; j < nodes.dims(); ++j)
      nodes.representative[i][j] =
          std::clamp(nodes.representative[i][j] + pull[i][j] / nodes.support[i], -kLargestValue,
                     kLargestValue);
    nodes.stamp[i] = ++nodes.changes;
  }
}

void fold_moments(const Moments& more, Moments& moments) {
  if (more.count == 0.0) return;
  const double count = moments.count + more.count, share = more.count / count;
  const double both = moments.count * share;
  for (std::size_t j = 0; j < moments.mean.size(); ++j) {
    const double apart = more.mean[j] - moments.mean[j];
    moments.mean[j] += share * apart;
    moments.m2[j] = std::min(moments.m2[j] + (more.m2[j] + both * (apart * apart)), kMostSquares);
  }
  moments.count = count;
}

}  // namespace phida
