#include "nodes/fine_learning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numeric/elementary.hpp"

namespace phida {
namespace {

// A node of less weight than this, in rows, has faded.
constexpr double kFadedWeight = 0.5;

// At this limit the unit restarts at a small number, by a power of two, which is exact.
constexpr double kLargestUnit = 0x1p32, kSmaller = 0x1p-32;

// A new node is in a new place if it is farther from its winner, by this factor of squared distances, than is usual
// there. With few features distances vary more by chance.
double far_factor(std::size_t dims) {
  const double d = static_cast<double>(dims);
  return 4.0 * std::max(1.0, 64.0 / (d * d));
}

// The metric of the nodes, by `scale`.
FeatureTransform fit_metric(const FineNodes& nodes, const Spread& spread, Scale scale) {
  FeatureTransform metric;
  fit_deviations(deviations(nodes, spread), scale, metric);
  return metric;
}

// Multiplies all sums over rows by a factor.
void rescale(FineState& state, double factor) {
  FineNodes& nodes = state.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes.weight[i] *= factor;
    nodes.credit[i] *= factor;
    for (std::size_t j = 0; j < nodes.dims(); ++j) nodes.scatter[i][j] *= factor;
  }
  state.allowance *= factor;
  state.unit *= factor;
}

// Mean size of squared distances in a metric: its squared factors, weighted by the scatter inside nodes.
double scatter_in(const FeatureTransform& metric, std::span<const double> inside) {
  double sum = 0.0;
  for (std::size_t j = 0; j < inside.size(); ++j)
    sum += metric.inverse[j] * metric.inverse[j] * inside[j];
  return sum;
}

// Mean ratio of squared distances in two metrics, for a scatter per feature.
double conversion(const FeatureTransform& from, const FeatureTransform& to,
                  std::span<const double> inside) {
  const double before = scatter_in(from, inside);
  return before > 0.0 ? scatter_in(to, inside) / before : 0.0;
}

// Renews the metric. Allowance and credits are squared distances, and are converted to it.
void renew_metric(FineState& state, Scale scale) {
  const Spread spread = spread_of(state.nodes);
  FeatureTransform renewed = fit_metric(state.nodes, spread, scale);
  const double factor = conversion(state.metric, renewed, spread.inside);
  const double between = conversion(state.metric, renewed, spread.squares);
  state.metric = std::move(renewed);
  state.allowance *= factor;
  for (double& credit : state.nodes.credit) credit *= factor;
  // After a wild value in the old metric, these grow by up to its square.
  constexpr double kMost = std::numeric_limits<double>::max();
  for (double& gap : state.nodes.gap) gap = std::min(gap * between, kMost);
  for (double& spacing : state.nodes.spacing) spacing = std::min(spacing * between, kMost);
}

// Orders nodes by mean, then weight, then scatter.
class ByPlace {
 public:
  explicit ByPlace(const FineNodes& nodes) : nodes_(nodes) {}
  bool operator()(std::size_t a, std::size_t b) const {
    if (const int order = compare(nodes_.mean[a], nodes_.mean[b])) return order < 0;
    if (nodes_.weight[a] != nodes_.weight[b]) return nodes_.weight[a] < nodes_.weight[b];
    return compare(nodes_.scatter[a], nodes_.scatter[b]) < 0;
  }

 private:
  int compare(const double* a, const double* b) const {
    for (std::size_t j = 0; j < nodes_.dims(); ++j)
      if (a[j] != b[j]) return a[j] < b[j] ? -1 : 1;
    return 0;
  }
  const FineNodes& nodes_;
};

void append_node(const FineNodes& from, std::size_t i, FineNodes& to) {
  to.append(from.mean[i], from.weight[i], from.birth[i], from.id[i]);
  std::copy_n(from.scatter[i], from.scatter.stride(), to.scatter[to.size() - 1]);
  to.lineage.set(to.size() - 1, from.lineage, i);
  to.leaf.back() = from.leaf[i];
  to.gap.back() = from.gap[i];
  to.spacing.back() = from.spacing[i];
  if (from.keeps_examples()) to.append_example(from.example[i], from.example_row[i]);
}

// Appends a node, or adds it to the last one at the same place: weights and scatters add.
void append_or_add(const FineNodes& from, std::size_t i, FineNodes& to) {
  append_node(from, i, to);
  const std::size_t n = to.size();
  if (n < 2 || !std::equal(to.mean[n - 1], to.mean[n - 1] + to.dims(), to.mean[n - 2])) return;
  merge_nodes(to, n - 2, n - 1);
  std::copy_n(to.mean[n - 1], to.dims(),
              to.mean[n - 2]);  // a weighted mean of equal values may round
  std::vector<std::size_t> kept(n - 1);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  to.keep(kept);
}

// Until the next map, the newest node is in its winner's cluster. In a new place it has no confirmed cluster.
void place_new_node(const FineStep& step, bool beyond_allowance, FineNodes& nodes) {
  LineageColumns& lineage = nodes.lineage;
  const std::int32_t r = step.winner;
  const double usual = nodes.spacing[r];
  const double square = std::min(step.square, std::numeric_limits<double>::max());
  const bool far = beyond_allowance && step.winner_placed && usual > 0.0 &&
                   square > far_factor(nodes.dims()) * usual;
  // The mean of logarithms, in which this node has weight 1/4.
  nodes.spacing.back() = far ? usual
                         : usual == 0
                             ? square
                             : std::sqrt(usual) * std::sqrt(std::sqrt(usual) * std::sqrt(square));
  lineage.parent_id.back() =
      lineage.cluster_id[r] != kNone ? lineage.cluster_id[r] : lineage.parent_id[r];
  if (!far) nodes.spacing[r] = nodes.spacing.back();
  nodes.gap.back() = far ? square : nodes.gap[r];
  nodes.leaf.back() = nodes.leaf[r];
  if (far) return;
  lineage.cluster_id.back() = lineage.cluster_id[r];
  lineage.candidate.back() = lineage.candidate[r];
}

}  // namespace

std::vector<std::size_t> unfaded(double half_life, const FineState& state) {
  const std::vector<double>& weight = state.nodes.weight;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < weight.size(); ++i)
    if (half_life == 0.0 || !(weight[i] < kFadedWeight * state.unit)) kept.push_back(i);
  if (kept.empty() && !weight.empty())
    kept.push_back(
        static_cast<std::size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin()));
  return kept;
}

void place_faded(std::span<const std::size_t> kept, FineState& state) {
  FineNodes& nodes = state.nodes;
  if (kept.size() == nodes.size()) return;
  RowMatrix mean(nodes.dims());
  std::vector<std::uint8_t> faded(nodes.size(), 1);
  for (const std::size_t i : kept) {
    mean.append(nodes.mean[i]);
    faded[i] = 0;
  }
  NearestNode nearest(nodes.dims());
  nearest.assign(mean, state.metric.scaling());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!faded[i]) continue;
    const Nearest found = nearest.find(nodes.mean[i], mean);
    const std::size_t r = kept[found.node];
    nodes.leaf[i] = nodes.leaf[r];
    const bool far = found.square > far_factor(nodes.dims()) * nodes.spacing[r];
    nodes.gap[i] = far ? found.square : nodes.gap[r];
    if (!far) nodes.lineage.follow(i, r);
  }
}

FineLearning::FineLearning(const FineSettings& settings, const FineState& state)
    : settings_(settings), nearest_(settings.dims) {
  if (settings.half_life > 0.0) growth_ = portable_pow(2.0, 1.0 / settings.half_life);
  nearest_.assign(state.nodes.mean, state.metric.scaling());
}

FineStep FineLearning::learn_next(double rows, std::int64_t step, std::int64_t id,
                                  FineState& state) {
  const FineStep done = learn(nearest_.head(), rows, step, id, state);
  nearest_.pop();
  return done;
}

Nearest FineLearning::next_nearest(const FineNodes& nodes) {
  const Nearest nearest = nearest_.find_head(nodes.mean);
  nearest_.pop();
  return nearest;
}

FineStep FineLearning::learn(const double* row, double rows, std::int64_t step, std::int64_t id,
                             FineState& state) {
  fade(state);
  FineNodes& nodes = state.nodes;
  const double weight = rows * state.unit;
  FineStep done;
  if (nodes.size() > 0) {
    const Nearest nearest = nearest_.find_head(nodes.mean);
    done = {.winner = nearest.node,
            .square = nearest.square,
            .winner_gap = nodes.gap[nearest.node],
            .winner_placed = nodes.placed(nearest.node),
            .winner_birth = nodes.birth[nearest.node],
            .winner_cluster = nodes.lineage.cluster_id[nearest.node],
            .winner_parent = nodes.lineage.parent_id[nearest.node]};
  }
  const std::int32_t r = done.winner;
  const double run_up = r == kNone ? 0.0 : nodes.credit[r] + weight * done.square;
  done.created = r == kNone || (done.square > 0.0 && run_up > state.allowance);
  if (!done.created) {
    nodes.credit[r] = run_up;
    const double share = weight / (nodes.weight[r] + weight), product = nodes.weight[r] * share;
    double* const mean = nodes.mean[r];
    double* const scatter = nodes.scatter[r];
    for (std::size_t j = 0; j < nodes.dims(); ++j) {
      const double gap = row[j] - mean[j];
      scatter[j] += product * gap * gap;
      mean[j] += share * gap;
    }
    nodes.weight[r] += weight;
    ++nodes.lineage.won[r];
    nearest_.set(static_cast<std::size_t>(r), mean);
    return done;
  }
  nodes.append(row, weight, step, id);
  if (settings_.examples > 0) nodes.append_example(row, step);
  nearest_.append(row);
  if (r != kNone) {
    nodes.credit[r] = 0.0;
    place_new_node(done, weight * done.square > state.allowance, nodes);
  }
  if (nodes.size() >= settings_.max_nodes) compact(state);
  return done;
}

void FineLearning::fit_metric_to_rows(FineState& state) {
  if (state.compacted) return;
  renew_metric(state, settings_.scale);
  nearest_.assign(state.nodes.mean, state.metric.scaling());
}

void FineLearning::fade(FineState& state) const {
  if (settings_.half_life == 0.0) return;
  state.unit *= growth_;
  if (state.unit > kLargestUnit) rescale(state, kSmaller);
}

void FineLearning::compact(FineState& state) {
  const std::size_t target = settings_.max_nodes * 3 / 4;
  if (settings_.half_life > 0.0) state.nodes.keep(unfaded(settings_.half_life, state));
  if (state.nodes.size() > target) {
    renew_metric(state, settings_.scale);
    state.allowance =
        compaction_.merge_cheapest(state.nodes, state.metric.scaling(), target, state.allowance);
    state.compacted = true;
  }
  nearest_.assign(state.nodes.mean, state.metric.scaling());
}

void FineLearning::merge(std::span<const FineState* const> others, FineState& state) {
  FineNodes joined = state.nodes;
  std::vector<FineState> brought;
  for (const FineState* const other : others) {
    rescale(brought.emplace_back(*other), state.unit / other->unit);
    const FineNodes& nodes = brought.back().nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i) append_node(nodes, i, joined);
  }
  std::vector<std::size_t> order(joined.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), ByPlace(joined));
  state.nodes = FineNodes(settings_.dims);
  for (const std::size_t i : order) append_or_add(joined, i, state.nodes);
  const Spread spread = spread_of(state.nodes);
  FeatureTransform metric = fit_metric(state.nodes, spread, settings_.scale);
  state.allowance *= conversion(state.metric, metric, spread.inside);
  for (const FineState& other : brought) {
    state.allowance = std::max(state.allowance,
                               other.allowance * conversion(other.metric, metric, spread.inside));
    state.compacted = state.compacted || other.compacted;
  }
  state.metric = std::move(metric);
  if (state.nodes.size() >= settings_.max_nodes) return compact(state);
  nearest_.assign(state.nodes.mean, state.metric.scaling());
}

}  // namespace phida
