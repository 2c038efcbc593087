#include "systems/caea.hpp"

#include <algorithm>

#include "systems/removal.hpp"

namespace phida::systems {

void Caea::begin_call(const double*, std::size_t) { n_in_call_ = 0; }

void Caea::learn(const double* sample) {
  ++n_seen_;
  ++n_in_call_;
  if (n_nodes() < n_first()) {
    add_node(sample);
    if (n_nodes() == n_first()) set_vigilance();
  } else {
    match_and_learn(sample);
  }
  if (n_in_call_ % settings_.lam == 0 && n_nodes() > 1) remove_isolated_nodes();
}

// The bandwidth of a new node comes from the latest samples of the call.
void Caea::add_node(const double* sample) {
  const std::size_t n = std::min(n_first(), static_cast<std::size_t>(n_in_call_));
  std::vector<const double*> latest(n);
  for (std::size_t age = 0; age < n; ++age) latest[n - 1 - age] = sample - age * dims();
  bandwidths_.push_back(silverman_bandwidth(latest, dims()));
  positions_.append(sample);
  graph_.add_node();
  count_.push_back(1.0);
}

// The mean distance of a node to its nearest other node; infinite if there is none.
void Caea::set_vigilance() {
  const double bandwidth = mean_bandwidth(bandwidths_);
  double sum = 0.0;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    double nearest = std::numeric_limits<double>::infinity();
    const std::span<const double> distances =
        correntropy_.distances(positions_[i], positions_, bandwidth);
    for (std::size_t other = 0; other < n_nodes(); ++other)
      if (other != i) nearest = std::min(nearest, distances[other]);
    sum += nearest;
  }
  vigilance_ = sum / static_cast<double>(n_nodes());
}

void Caea::match_and_learn(const double* sample) {
  const TwoClosest closest =
      correntropy_.closest_two(sample, positions_, mean_bandwidth(bandwidths_));
  if (closest.first_distance > vigilance_) {
    add_node(sample);
    return;
  }
  const std::int32_t winner = closest.first;
  graph_.age_edges_of(winner);
  graph_.disconnect_older(winner, static_cast<double>(settings_.age_max));
  const double count = count_[winner];  // before this sample, which may add a node
  positions_.move(winner, sample, [count](double gap) { return gap / count; });
  count_[winner] += 1.0;
  if (closest.second < 0 || closest.second_distance > vigilance_) return;
  for (const Link& link : graph_.links(winner)) {
    const double slow = 10.0 * count_[link.node];
    positions_.move(link.node, sample, [slow](double gap) { return gap / slow; });
  }
  graph_.connect(winner, closest.second, 0);
}

void Caea::remove_isolated_nodes() {
  const std::vector<std::size_t> kept = linked_nodes(graph_);
  positions_.keep(kept);
  graph_.keep(kept);
  keep_values(count_, kept);
  keep_values(bandwidths_, kept);
}

void Caea::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  assign_closest(correntropy_, positions_, mean_bandwidth(bandwidths_), graph_.components(), rows,
                 n, labels);
}

bool Caea::is_consistent() const {
  return graph_.size() == n_nodes() && count_.size() == n_nodes() &&
         bandwidths_.size() == n_nodes() && settings_.lam > 0;
}

}  // namespace phida::systems
