#include "systems/cae.hpp"

#include <algorithm>
#include <numeric>

#include "systems/removal.hpp"

namespace phida::systems {
namespace {

constexpr std::size_t kFirstBandwidth = 10;       // number of samples for the first bandwidth
constexpr double kDiverse = -13.815510557964274;  // the logarithm of 1e-6, the smallest determinant

// Requires sorted values.
double median(std::span<const std::int64_t> sorted) {
  const std::size_t half = sorted.size() / 2;
  const auto upper = static_cast<double>(sorted[half]);
  return sorted.size() % 2 ? upper : (static_cast<double>(sorted[half - 1]) + upper) / 2.0;
}

}  // namespace

void Cae::begin_call(const double* rows, std::size_t n) {
  n_in_call_ = 0;
  if (n_seen_ > 0 || n == 0) return;
  std::vector<const double*> first(std::min(n, kFirstBandwidth));
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = rows + i * dims();
  bandwidth_ = silverman_bandwidth(first, dims());
}

void Cae::learn(const double* sample) {
  ++n_seen_;
  ++n_in_call_;
  if (!is_ready() || static_cast<std::int64_t>(n_nodes()) < n_active_) {
    if (!is_full()) fill(sample);
  } else {
    match_and_learn(sample);
  }
  if (is_ready() && n_in_call_ % interval() == 0 && n_nodes() > 1) remove_isolated_nodes();
}

// While there are few nodes, every sample becomes one.
void Cae::fill(const double* sample) {
  add_node(sample);
  if (!is_ready()) measure_diversity();
  if (static_cast<std::int64_t>(n_nodes()) == n_active_) set_vigilance();
}

// The nodes are diverse enough when the matrix exp(1 - CIM) is nearly singular: another node would add nothing. That
// matrix is positive definite for different nodes, because CIM is the root of a conditionally negative definite kernel.
void Cae::measure_diversity() {
  while (diversity_.size() < n_nodes()) {
    const std::size_t newest = diversity_.size();
    const std::span<const double> distances =
        correntropy_.distances(positions_[newest], positions_, bandwidth_);
    std::vector<double> row(newest + 1);
    for (std::size_t i = 0; i <= newest; ++i) row[i] = portable_exp(1.0 - distances[i]);
    diversity_.append(row);
  }
  if (n_nodes() < 2 || diversity_.log() >= kDiverse) return;
  n_active_ = static_cast<std::int64_t>(n_nodes());
  diversity_.clear();
}

// The mean distance of a node to the nearest node at another position. If all nodes coincide, the vigilance stays.
void Cae::set_vigilance() {
  bandwidth_ = recent_bandwidth();
  std::ranges::fill(bandwidths_, bandwidth_);
  const double common = mean_bandwidth(bandwidths_);
  double sum = 0.0, n = 0.0;
  for (auto node = recency_.rbegin(); node != recency_.rend(); ++node) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const double distance : correntropy_.distances(positions_[*node], positions_, common))
      if (distance > 0.0) nearest = std::min(nearest, distance);
    if (nearest > 1.0) continue;
    sum += nearest;
    n += 1.0;
  }
  if (n > 0.0) vigilance_ = sum / n;
}

void Cae::match_and_learn(const double* sample) {
  const TwoClosest closest =
      correntropy_.closest_two(sample, positions_, mean_bandwidth(bandwidths_));
  if (closest.first_distance > vigilance_) {
    if (is_full()) return;
    add_node(sample);
    bandwidth_ = bandwidths_.back() = recent_bandwidth();
    return;
  }
  const std::int32_t winner = closest.first;
  const double count = count_[winner] += 1.0;
  positions_.move(winner, sample, [count](double gap) { return gap / count; });
  touch(winner);
  graph_.age_edges_of(winner);
  if (closest.second_distance <= vigilance_) {
    graph_.connect(winner, closest.second, 1);
    for (const Link& link : graph_.links(winner)) {
      const double slow = 10.0 * count_[link.node];
      positions_.move(link.node, sample, [slow](double gap) { return gap / slow; });
    }
  }
  remove_old_edges(winner);
}

void Cae::add_node(const double* sample) {
  recency_.push_back(static_cast<std::int32_t>(n_nodes()));
  positions_.append(sample);
  graph_.add_node();
  count_.push_back(1.0);
  bandwidths_.push_back(bandwidth_);
}

void Cae::touch(std::int32_t node) {
  const auto from_last = std::find(recency_.rbegin(), recency_.rend(), node);
  std::rotate(recency_.rbegin(), from_last, from_last + 1);
}

double Cae::recent_bandwidth() const {
  const std::size_t n = std::min(recency_.size(), static_cast<std::size_t>(n_active_));
  std::vector<const double*> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = positions_[recency_[recency_.size() - 1 - i]];
  return silverman_bandwidth(rows, dims());
}

// An edge is old if its age is an outlier among the ages at the node and exceeds the usual age of removed edges.
void Cae::remove_old_edges(std::int32_t node) {
  std::vector<std::int64_t> ages;
  for (const Link& link : graph_.links(node)) ages.push_back(link.age);
  if (ages.empty()) return;
  std::ranges::sort(ages);
  const double middle = median(ages);
  const auto below = [middle](std::int64_t age) { return static_cast<double>(age) < middle; };
  const auto above = [middle](std::int64_t age) { return static_cast<double>(age) > middle; };
  const auto n_lower = static_cast<std::size_t>(std::ranges::count_if(ages, below));
  const auto n_upper = static_cast<std::size_t>(std::ranges::count_if(ages, above));
  if (n_lower == 0 || n_upper == 0) return;
  const std::span<const std::int64_t> sorted = ages;
  const double first = median(sorted.first(n_lower)), third = median(sorted.last(n_upper));
  const auto n_removed = static_cast<double>(n_removed_edges_);
  const double share = n_removed / (n_removed + static_cast<double>(ages.size()));
  const double limit = mean_removed_age_ * share + (third + (third - first)) * (1.0 - share);

  std::int64_t n_old = 0, sum = 0;
  for (const std::int64_t age : ages) {
    if (!(static_cast<double>(age) > limit)) continue;
    n_old += 1;
    sum += age;
  }
  if (n_old == 0) return;
  graph_.disconnect_older(node, limit);
  n_removed_edges_ += n_old;
  mean_removed_age_ = (mean_removed_age_ * n_removed + static_cast<double>(sum)) /
                      static_cast<double>(n_removed_edges_);
}

void Cae::remove_isolated_nodes() {
  const std::vector<std::size_t> kept = linked_nodes(graph_);
  std::vector<std::int32_t> new_index(n_nodes(), -1);
  for (std::size_t i = 0; i < kept.size(); ++i) new_index[kept[i]] = static_cast<std::int32_t>(i);
  for (std::int32_t& node : recency_) node = new_index[node];
  std::erase(recency_, -1);
  positions_.keep(kept);
  graph_.keep(kept);
  keep_values(count_, kept);
  keep_values(bandwidths_, kept);
}

void Cae::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  assign_closest(correntropy_, positions_, mean_bandwidth(bandwidths_), graph_.components(), rows,
                 n, labels);
}

bool Cae::is_consistent() const {
  const std::size_t n = n_nodes();
  std::vector<std::int32_t> all(n), listed = recency_;
  std::iota(all.begin(), all.end(), 0);
  std::ranges::sort(listed);
  return graph_.size() == n && count_.size() == n && bandwidths_.size() == n && listed == all &&
         n_active_ >= 0 && n_removed_edges_ >= 0;
}

}  // namespace phida::systems
