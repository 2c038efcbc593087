#include "learning/plus_learner.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "mapping/density_map.hpp"

namespace phida {
namespace {

// A mapping costs as much as learning some thousand rows, so that there are few while rows come. The first rows are
// mapped when there are kEarlyGrowth times as many as at the last mapping; later ones when there are kGrowth times as many,
// or after so many rows per node. If rows fade, one row per node that is left is enough.
constexpr std::int64_t kEarlyRows = 4096, kEarlyGrowth = 4, kGrowth = 16, kRowsPerNode = 16;

// In between, the lineage follows the clusters of the last mapping after so many rows, or a share of the nodes.
constexpr std::int64_t kFewRows = 64, kNodesPerRow = 16;

// Nodes are also mapped, after a share of them in rows, if so many of the latest rows were won in new places. A row is one
// of these if it is much nearer to its winner, by kNearer, than the place was to all other nodes.
constexpr double kLatest = 4096.0, kUnplaced = 32.0, kNearer = 1.0 / 16.0;
constexpr std::int64_t kUnplacedNodesPerRow = 4;

// No coordinate in the metric is larger: its square must not overflow.
constexpr double kLargestPlace = 1e150;

// The nodes in the metric of a reading, with the weights and variances that densities need.
struct Measured {
  RowMatrix place;
  std::vector<double> weight;
  std::vector<double> variance;
  FeatureTransform metric;

  DensityInput input() const { return {place, weight, variance}; }
};

Measured measure(const FineState& state, Scale scale) {
  const FineNodes& nodes = state.nodes;
  Measured out;
  out.place = RowMatrix(nodes.dims());
  out.metric = state.metric_present ? state.metric : fit_metric(nodes, scale);
  const double* const scaling = out.metric.scaling();
  out.place.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    double within = 0.0;
    for (std::size_t j = 0; j < nodes.dims(); ++j) {
      const double factor = scaling == nullptr ? 1.0 : scaling[j];
      out.place[i][j] = std::clamp(nodes.mean[i][j] * factor, -kLargestPlace, kLargestPlace);
      within += factor * factor * nodes.scatter[i][j];
    }
    out.weight.push_back(nodes.weight[i] / state.unit);
    out.variance.push_back(within / nodes.weight[i]);
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

NodeState nodes_to_read(const FineNodes& fine, const Measured& measured) {
  NodeState nodes(fine.dims());
  nodes.representative = fine.mean;
  nodes.support = measured.weight;
  for (const double v : measured.variance) nodes.scale.push_back(std::sqrt(v));
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
    : settings_(settings),
      state_(std::move(state)),
      learning_(settings, state_),
      row_(padded(settings.dims), 0.0) {}

void PlusLearner::learn(const double* row, double rows) {
  reading_.reset();
  density_.reset();
  state_.ended = false;
  // Adding 0 makes -0 the same place as 0, to the bit.
  for (std::size_t j = 0; j < settings_.dims; ++j) row_[j] = row[j] + 0.0;
  step_ = learning_.learn(row_.data(), rows, state_.n_seen, state_.n_created, state_);
  state_.n_created += step_.created;
  if (step_.winner != kNone) state_.margins.append(margin_at(step_.square));
  const bool new_place = !step_.winner_placed && step_.square < kNearer * step_.winner_gap;
  state_.unplaced += (new_place ? 1.0 : 0.0) - state_.unplaced / kLatest;
  ++state_.n_seen;
  const auto n_nodes = static_cast<std::int64_t>(state_.nodes.size());
  if (is_due())
    map_nodes(false);
  else if (state_.n_seen - state_.lineage.sample >= std::max(kFewRows, n_nodes / kNodesPerRow))
    follow_clusters(false);
}

bool PlusLearner::is_due() const {
  const std::int64_t since = state_.n_seen - state_.mapped_at;
  const auto n_nodes = static_cast<std::int64_t>(state_.nodes.size());
  const std::int64_t growth = state_.n_seen <= kEarlyRows ? kEarlyGrowth : kGrowth;
  if (state_.n_seen >= growth * state_.mapped_at || since >= kRowsPerNode * n_nodes) return true;
  if (since == 0 || since % kFewRows != 0) return false;
  const auto n_mapped = static_cast<std::int64_t>(unfaded(settings_.half_life, state_).size());
  if (state_.unplaced >= kUnplaced && kUnplacedNodesPerRow * since >= n_mapped) return true;
  return settings_.half_life > 0.0 && since >= n_mapped &&
         static_cast<double>(since) >= settings_.half_life / 4.0;
}

void PlusLearner::end_learning() {
  if (state_.n_seen == 0 || state_.ended) return;
  map_nodes(state_.n_seen <= kFirstRows);
  state_.ended = true;
}

// The map of the nodes that have not faded. A reading after the end of learning needs the one that was just made.
const DensityMap& PlusLearner::current_density() {
  if (!density_) {
    FineState fine = state_;
    fine.nodes.keep(unfaded(settings_.half_life, fine));
    const Measured measured = measure(fine, settings_.scale);
    density_ = std::make_shared<const DensityMap>(map_density(measured.input()));
  }
  return *density_;
}

// For the lineage: only readers use what it changes. A cluster whose nodes have all faded is gone.
void PlusLearner::map_nodes(bool certain) {
  reading_.reset();
  const std::vector<std::size_t> kept = unfaded(settings_.half_life, state_);
  const DensityMap& density = current_density();
  const NodeMap& map = density.map;
  std::vector<std::int32_t> cluster;
  map.clusters(cluster);
  FineNodes& nodes = state_.nodes;
  const std::vector<std::int32_t> before =
      std::exchange(nodes.label, std::vector<std::int32_t>(nodes.size(), kNone));
  std::vector<std::uint8_t> known(map.n_clusters(), 0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (before[kept[i]] != kNone) known[cluster[i]] = 1;
  // The first rows of a new place may be too few for a cluster: they wait for one more mapping.
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const std::size_t at = kept[i];
    const bool waits = !certain && before[at] == kNone && nodes.birth[at] >= state_.mapped_at &&
                       state_.unplaced < kUnplaced && known[cluster[i]];
    if (!waits) nodes.label[at] = cluster[i];
  }
  follow_clusters(certain);
  place_faded(kept, state_);
  state_.mapped_at = state_.n_seen;
  state_.unplaced = 0.0;
  state_.history.append({.sample = state_.n_seen,
                         .n_nodes = nodes.size(),
                         .n_components = map.n_clusters(),
                         .n_clusters = state_.lineage.living.size()});
}

// Brings the lineage up to date with the clusters of the last mapping; some may have no node left.
void PlusLearner::follow_clusters(bool certain) {
  FineNodes& nodes = state_.nodes;
  std::vector<std::int32_t> number(nodes.size() + 1, kNone), cluster;
  std::int32_t n_clusters = 0;
  std::vector<double> support;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    support.push_back(nodes.weight[i] / state_.unit);
    const std::int32_t label = nodes.label[i];
    if (label != kNone) {
      if (static_cast<std::size_t>(label) >= number.size()) number.resize(label + 1, kNone);
      if (number[label] == kNone) number[label] = n_clusters++;
    }
    cluster.push_back(label == kNone ? kNone : number[label]);
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

void PlusLearner::merge(std::span<const PlusState* const> others) {
  reading_.reset();
  density_.reset();
  std::vector<PlusState> unnamed;  // ids mean something in their own model only
  std::vector<const FineState*> fine;
  unnamed.reserve(others.size());
  for (const PlusState* const other : others) {
    PlusState& copy = unnamed.emplace_back(*other);
    LineageColumns& lineage = copy.nodes.lineage;
    for (std::vector<std::int64_t>* const column :
         {&lineage.cluster_id, &lineage.parent_id, &lineage.candidate})
      std::fill(column->begin(), column->end(), std::int64_t{kNone});
    std::fill(lineage.won_mapped.begin(), lineage.won_mapped.end(), std::int64_t{0});
    std::fill(lineage.away.begin(), lineage.away.end(), std::int64_t{0});
    state_.n_seen += other->n_seen;
    state_.n_created += other->n_created;
    for (const double margin : other->margins.values) state_.margins.append(margin);
    fine.push_back(&copy);
  }
  learning_.merge(fine, state_);
  for (std::size_t i = 0; i < state_.nodes.size(); ++i)
    state_.nodes.id[i] = static_cast<std::int64_t>(i);
  if (state_.n_seen > 0) map_nodes(true);
  state_.ended = state_.n_seen > 0;
}

std::shared_ptr<const Reading> PlusLearner::reading() {
  if (reading_) return reading_;
  if (state_.n_seen == 0) throw std::logic_error("nothing has been learned yet");
  FineState fine = state_;
  fine.nodes.keep(unfaded(settings_.half_life, fine));
  const Measured measured = measure(fine, settings_.scale);
  Reading reading{.nodes = nodes_to_read(fine.nodes, measured),
                  .density = current_density(),
                  .counted = false,
                  .moments = moments_of(fine),
                  .margins = state_.margins.values,
                  .lineage = state_.lineage.without_events()};
  reading.map = reading.density.map;
  reading.map.transform = measured.metric;
  finish(reading);
  reading.nodes.component = reading.cluster;
  reading_ = std::make_shared<const Reading>(std::move(reading));
  return reading_;
}

}  // namespace phida
