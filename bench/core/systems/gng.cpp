#include "systems/gng.hpp"

#include <algorithm>

#include "systems/nearest_label.hpp"
#include "systems/removal.hpp"

namespace phida::systems {

void Gng::learn(const double* sample) {
  ++n_seen_;
  if (n_nodes() < 2) {
    add_node(sample, 0.0);
    return;
  }
  const TwoNearest nearest = positions_.nearest_two(sample);
  const std::int32_t winner = nearest.first;
  graph_.age_edges_of(winner);
  scaled_error_[winner] += nearest.first_square / error_unit_;
  positions_.move(winner, sample, [this](double gap) { return settings_.eps_b * gap; });
  for (const Link& link : graph_.links(winner))
    positions_.move(link.node, sample, [this](double gap) { return settings_.eps_n * gap; });
  graph_.connect(winner, nearest.second, 0);
  remove_old_edges(winner);
  if (n_seen_ % settings_.lam == 0 && static_cast<std::int64_t>(n_nodes()) < settings_.n_max)
    insert_node();
  decay_errors();
}

void Gng::add_node(const double* position, double scaled_error) {
  positions_.append(position);
  graph_.add_node();
  scaled_error_.push_back(scaled_error);
}

// Only edges of the winner have grown older, so only they and their other ends need a check. The winner keeps its new
// edge; a node that never had an edge is not removed.
void Gng::remove_old_edges(std::int32_t winner) {
  std::vector<std::int32_t> gone =
      graph_.disconnect_older(winner, static_cast<double>(settings_.a_max));
  std::erase_if(gone, [this](std::int32_t node) { return !graph_.is_isolated(node); });
  if (gone.empty()) return;
  const std::vector<std::size_t> kept = all_except(n_nodes(), gone);
  positions_.keep(kept);
  graph_.keep(kept);
  keep_values(scaled_error_, kept);
}

// Inserts a node halfway between the node with the largest error and its neighbour with the largest error.
void Gng::insert_node() {
  const auto largest = std::ranges::max_element(scaled_error_);  // the first of equals
  const auto worst = static_cast<std::int32_t>(largest - scaled_error_.begin());
  if (graph_.is_isolated(worst)) return;
  const std::int32_t other = largest_error_beside(worst);
  const auto added = static_cast<std::int32_t>(n_nodes());
  scaled_error_[worst] *= settings_.alpha;
  scaled_error_[other] *= settings_.alpha;
  std::vector<double> middle(positions_[worst], positions_[worst] + dims());
  for (std::size_t j = 0; j < dims(); ++j) middle[j] = (middle[j] + positions_[other][j]) / 2.0;
  add_node(middle.data(), scaled_error_[worst]);
  graph_.disconnect(worst, other);
  graph_.connect(worst, added, 0);
  graph_.connect(added, other, 0);
}

std::int32_t Gng::largest_error_beside(std::int32_t node) const {
  std::int32_t best = graph_.links(node).front().node;
  for (const Link& link : graph_.links(node)) {
    const double error = scaled_error_[link.node], largest = scaled_error_[best];
    if (error > largest || (error == largest && link.node < best)) best = link.node;
  }
  return best;
}

void Gng::decay_errors() {
  constexpr double kSmallestUnit = 1e-30;
  error_unit_ *= settings_.d;
  if (error_unit_ >= kSmallestUnit) return;
  for (double& error : scaled_error_) error *= error_unit_;
  error_unit_ = 1.0;
}

void Gng::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  assign_nearest(positions_, graph_.components(), rows, n, labels);
}

}  // namespace phida::systems
