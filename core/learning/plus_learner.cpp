#include "learning/plus_learner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "lineage/cluster_ids.hpp"
#include "mapping/carried_map.hpp"

namespace phida {
namespace {

// The nodes are mapped again when the rows since the last map are a share of those before it. With many nodes a map
// costs as much as learning some thousand rows, so the share grows with them.
constexpr double kLeastShare = 0.25, kMostShare = 1.0, kNodesPerShare = 1024.0;

// If rows fade: after one row per node left, and this share of the half-life.
constexpr double kShareOfLife = 0.25;

// Between maps, the lineage follows the clusters of the last map after this many rows, or a share of the nodes.
constexpr std::int64_t kFewRows = 64, kNodesPerRow = 16;

// Nodes are also mapped, after a share of them in rows, if many of the latest rows were won in new places. Such a row
// is much nearer to its winner, by a factor of squared distances, than the place was to all other nodes. With many
// features, rows of one group are far from each other.
constexpr double kLatest = 4096.0, kUnplaced = 32.0;
constexpr std::int64_t kUnplacedNodesPerRow = 4;
double near_factor(std::size_t dims) {
  return std::clamp(static_cast<double>(dims) / 32.0, 1.0 / 16.0, 0.5);
}

// Upper bound of coordinates in the metric: their squares must not overflow.
constexpr double kLargestPlace = 1e150;

// Some nodes in the metric, with the weights and variances for densities.
struct Measured {
  RowMatrix place;
  std::vector<double> weight;
  std::vector<double> variance;

  DensityInput input() const { return {place, weight, variance}; }
};

// Mean squared distance of a node's rows to it, in the metric.
double variance_of(std::size_t node, const FineState& state) {
  const double* const scaling = state.metric.scaling();
  const double* const scatter = state.nodes.scatter[node];
  double within = 0.0;
  for (std::size_t j = 0; j < state.nodes.dims(); ++j) {
    const double factor = scaling == nullptr ? 1.0 : scaling[j];
    within += factor * factor * scatter[j];
  }
  return within / state.nodes.weight[node];
}

Measured measure(const FineState& state, std::span<const std::size_t> which) {
  const FineNodes& nodes = state.nodes;
  Measured out;
  out.place = RowMatrix(nodes.dims());
  const double* const scaling = state.metric.scaling();
  out.place.resize(which.size());
  for (std::size_t n = 0; n < which.size(); ++n) {
    const std::size_t i = which[n];
    for (std::size_t j = 0; j < nodes.dims(); ++j) {
      const double factor = scaling == nullptr ? 1.0 : scaling[j];
      out.place[n][j] = std::clamp(nodes.mean[i][j] * factor, -kLargestPlace, kLargestPlace);
    }
    out.weight.push_back(nodes.weight[i] / state.unit);
    out.variance.push_back(variance_of(i, state));
  }
  return out;
}

// Mean and summed squares of all rows.
Moments moments_of(const FineState& state) {
  const std::size_t dims = state.nodes.dims();
  const Spread spread = spread_of(state.nodes);
  Moments moments(dims);
  moments.count = spread.weight / state.unit;
  for (std::size_t j = 0; j < dims; ++j) {
    moments.mean[j] = spread.mean[j];
    moments.m2[j] = spread.squares[j] / state.unit;
  }
  return moments;
}

NodeState nodes_to_read(const FineState& state) {
  const FineNodes& fine = state.nodes;
  NodeState nodes(fine.dims());
  nodes.representative = fine.mean;
  for (std::size_t i = 0; i < fine.size(); ++i) {
    nodes.support.push_back(fine.weight[i] / state.unit);
    nodes.scale.push_back(std::sqrt(variance_of(i, state)));
  }
  nodes.active.assign(fine.size(), 1);
  nodes.birth = fine.birth;
  nodes.id = fine.id;
  nodes.lineage = fine.lineage;
  return nodes;
}

}  // namespace

PlusLearner::PlusLearner(const FineSettings& settings)
    : PlusLearner(settings, PlusState(settings.dims)) {}

PlusLearner::PlusLearner(const FineSettings& settings, PlusState state)
    : settings_(settings), state_(std::move(state)), learning_(settings, state_) {}

void PlusLearner::learn_many(const double* rows, std::size_t n, const double* counts, bool follow) {
  for (std::size_t first = 0; first < n; first += kTogether) {
    const std::size_t end = std::min(n, first + kTogether);
    learning_.queue(rows + first * settings_.dims, end - first);
    for (std::size_t i = first; i < end; ++i)
      learn_next(counts == nullptr ? 1.0 : counts[i], follow);
  }
}

void PlusLearner::learn_next(double rows, bool follow) {
  reading_.reset();
  state_.ended = false;
  const std::size_t n_before = state_.nodes.size();
  step_ = learning_.learn_next(rows, state_.n_seen, state_.n_created, state_);
  state_.n_created += step_.created;
  if (state_.nodes.size() != n_before + step_.created)
    cluster_.clear();  // nodes were merged
  else if (step_.created && !cluster_.empty())
    cluster_.push_back(cluster_[step_.winner]);
  if (step_.winner != kNone) state_.margins.append(margin_at(step_.square));
  const bool new_place =
      !step_.winner_placed && step_.square < near_factor(settings_.dims) * step_.winner_gap;
  state_.unplaced += (new_place ? 1.0 : 0.0) - state_.unplaced / kLatest;
  ++state_.n_seen;
  const auto n_nodes = static_cast<std::int64_t>(state_.nodes.size());
  if (is_due())
    follow ? map_nodes(false) : map_as_one();
  else if (follow &&
           state_.n_seen - state_.lineage.sample >= std::max(kFewRows, n_nodes / kNodesPerRow))
    follow_clusters(false);
}

bool PlusLearner::is_due() const {
  const std::int64_t since = state_.n_seen - state_.mapped_at;
  const double share = std::clamp(static_cast<double>(state_.nodes.size()) / kNodesPerShare,
                                  kLeastShare, kMostShare);
  if (static_cast<double>(since) >= share * static_cast<double>(state_.mapped_at)) return true;
  if (since % kFewRows != 0) return false;
  const auto n_mapped = static_cast<std::int64_t>(unfaded(settings_.half_life, state_).size());
  if (state_.unplaced >= kUnplaced && kUnplacedNodesPerRow * since >= n_mapped) return true;
  return settings_.half_life > 0.0 && since >= n_mapped &&
         static_cast<double>(since) >= kShareOfLife * settings_.half_life;
}

void PlusLearner::end_learning() {
  if (state_.n_seen == 0 || state_.ended) return;
  map_nodes(state_.n_seen <= kFirstRows || state_.lineage.n_ids == 0);
  state_.ended = true;
}

// One cluster, so that there is a map to read; margins are measured in the metric of its time.
void PlusLearner::map_as_one() {
  learning_.fit_metric_to_rows(state_);
  const std::size_t first[] = {0};
  state_.map = map_density(measure(state_, first).input());
  std::fill(state_.nodes.leaf.begin(), state_.nodes.leaf.end(), 0);
  std::fill(state_.nodes.gap.begin(), state_.nodes.gap.end(), 0.0);
  cluster_.clear();
  state_.mapped_at = state_.n_seen;
  state_.unplaced = 0.0;
}

// Maps the unfaded nodes. A cluster whose nodes have all faded ends.
void PlusLearner::map_nodes(bool certain) {
  reading_.reset();
  learning_.fit_metric_to_rows(state_);
  const std::vector<std::size_t> kept = unfaded(settings_.half_life, state_);
  state_.map = map_density(measure(state_, kept).input());
  std::vector<std::int32_t> cluster;
  state_.map.map.clusters(cluster);
  FineNodes& nodes = state_.nodes;
  std::vector<std::uint8_t> known(state_.map.map.n_clusters(), 0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (nodes.placed(kept[i])) known[cluster[i]] = 1;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t at = kept[i];
    nodes.leaf[at] = static_cast<std::int32_t>(i);
    // The first rows of a new place may be too few for a cluster of their own: they wait for the next map.
    const bool waits = !certain && nodes.birth[at] >= state_.mapped_at &&
                       state_.unplaced < kUnplaced && known[cluster[i]];
    if (!waits) nodes.gap[at] = 0.0;
  }
  place_faded(kept, state_);
  cluster_.clear();
  // Clusters of the first few rows appear and vanish.
  if (certain || state_.n_seen >= kFewRows) follow_clusters(certain);
  state_.mapped_at = state_.n_seen;
  state_.unplaced = 0.0;
  state_.history.append({.sample = state_.n_seen,
                         .n_nodes = nodes.size(),
                         .n_components = state_.map.map.n_clusters(),
                         .n_clusters = state_.map.map.n_clusters()});
}

const std::vector<std::int32_t>& PlusLearner::clusters() {
  if (cluster_.empty()) cluster_ = carried_clusters(state_.map.map, state_.nodes.leaf);
  return cluster_;
}

// Updates the lineage with the clusters of the last map. Nodes in new places are in none of them.
void PlusLearner::follow_clusters(bool certain) {
  FineNodes& nodes = state_.nodes;
  const std::vector<std::int32_t>& known = clusters();
  std::vector<std::int32_t> number(nodes.size(), kNone), cluster;
  std::int32_t n_clusters = 0;
  std::vector<double> support;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    support.push_back(nodes.weight[i] / state_.unit);
    cluster.push_back(kNone);
    if (!nodes.placed(i)) continue;
    if (number[known[i]] == kNone) number[known[i]] = n_clusters++;
    cluster.back() = number[known[i]];
  }
  tracker_.update({.cluster = cluster,
                   .n_clusters = static_cast<std::size_t>(n_clusters),
                   .support = support,
                   .sample = state_.n_seen,
                   .fades = settings_.half_life > 0.0,
                   .certain = certain,
                   .birth = nodes.birth},
                  nodes.lineage, state_.lineage);
}

void PlusLearner::number_examples(std::int64_t part, std::int64_t n_parts, std::int64_t block) {
  for (std::int64_t& row : state_.nodes.example_row)
    if (row != kNone) row = (row / block * n_parts + part) * block + row % block;
}

void PlusLearner::merge(std::span<const PlusState* const> others, bool follow, bool one_stream) {
  reading_.reset();
  cluster_.clear();
  std::vector<PlusState> unnamed;  // ids are valid only in their own model
  std::vector<const FineState*> fine;
  unnamed.reserve(others.size());
  for (const PlusState* const other : others) {
    PlusState& copy = unnamed.emplace_back(*other);
    copy.nodes.lineage.forget_names();
    if (!one_stream)
      std::fill(copy.nodes.example_row.begin(), copy.nodes.example_row.end(), std::int64_t{kNone});
    // The rows of the other model count as learned after those of this one, to which events refer.
    for (std::int64_t& birth : copy.nodes.birth) birth += state_.n_seen;
    state_.n_seen += other->n_seen;
    state_.n_created += other->n_created;
    for (const double margin : other->margins.values) state_.margins.append(margin);
    fine.push_back(&copy);
  }
  learning_.merge(fine, state_);
  for (std::size_t i = 0; i < state_.nodes.size(); ++i)
    state_.nodes.id[i] = static_cast<std::int64_t>(i);
  if (state_.n_seen == 0) return;
  if (follow)
    map_nodes(true);
  else
    map_as_one();
  state_.ended = follow;
}

std::shared_ptr<const Reading> PlusLearner::reading() {
  if (reading_) return reading_;
  if (state_.n_seen == 0) throw std::logic_error("nothing has been learned yet");
  Learned learned{.nodes = nodes_to_read(state_),
                  .counted = false,
                  .moments = moments_of(state_),
                  .margins = state_.margins.values,
                  .lineage = state_.lineage.without_events(),
                  .nodes_are_rows = state_.allowance == 0.0};
  learned.density = carried_over(state_.map, state_.nodes.leaf, learned.nodes.support);
  learned.map = learned.density.map;
  learned.map.transform = state_.metric;
  learned.map.clusters(learned.nodes.component);
  reading_ = std::make_shared<const Reading>(std::move(learned));
  return reading_;
}

void PlusLearner::labels(const double* rows, std::size_t n, std::int64_t* out) {
  if (state_.n_seen == 0) throw std::logic_error("nothing has been learned yet");
  const std::vector<std::int32_t>& cluster = clusters();
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kTogether == 0) learning_.queue(rows + i * settings_.dims, std::min(kTogether, n - i));
    out[i] = cluster[learning_.next_nearest(state_.nodes).node];
  }
}

void PlusLearner::ids(const double* rows, std::size_t n, std::int64_t* out) {
  labels(rows, n, out);
  const std::vector<std::int32_t>& cluster = clusters();
  const auto n_clusters =
      static_cast<std::size_t>(1 + *std::max_element(cluster.begin(), cluster.end()));
  std::vector<double> weight = state_.nodes.weight;
  for (double& w : weight) w /= state_.unit;
  const std::vector<std::int64_t> ids =
      ids_of_clusters({cluster, n_clusters, weight}, state_.nodes.lineage, state_.lineage);
  for (std::size_t i = 0; i < n; ++i) out[i] = ids[out[i]];
}

Examples PlusLearner::examples() { return examples_of(state_, clusters(), settings_.examples); }

}  // namespace phida
