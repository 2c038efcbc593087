#include "systems/soinn_plus.hpp"

#include <algorithm>

#include "numeric/hazen_quantile.hpp"
#include "systems/nearest_label.hpp"
#include "systems/removal.hpp"

namespace phida::systems {
namespace {

// The outlier limits of the method, in deviations, quartile ranges and scaled median deviations.
constexpr double kLink = 2.0, kEdge = 2.0, kNode = 2.0;
constexpr double kMadScale = 1.4826;  // a normal distribution's deviation over its median deviation
constexpr double kNeighbourSlowness =
    100;  // factor by which neighbours move more slowly than the winner

}  // namespace

void SoinnPlus::learn(const double* sample) {
  ++n_seen_;
  constexpr std::size_t kStartNodes = 3;
  if (n_nodes() < kStartNodes) {
    add_node(sample);
    return;
  }
  if (!learn_known(sample)) add_node(sample);
  delete_noise();
}

void SoinnPlus::add_node(const double* sample) {
  positions_.append(sample);
  graph_.add_node();
  wins_.push_back(1);
  last_win_.push_back(n_seen_);
}

// Returns false, without any change, if the sample is unlike its two nearest nodes.
bool SoinnPlus::learn_known(const double* sample) {
  const TwoNearest nearest = positions_.nearest_two(sample);
  const double winner_threshold = similarity_threshold(nearest.first);
  if (std::sqrt(nearest.first_square) > winner_threshold) return false;
  const double runner_up_threshold = similarity_threshold(nearest.second);
  if (std::sqrt(nearest.second_square) > runner_up_threshold) return false;
  if (may_link(nearest, winner_threshold, runner_up_threshold))
    link(nearest, winner_threshold, runner_up_threshold);
  graph_.age_edges_of(nearest.first);
  const std::vector<std::int32_t> gone = delete_old_edges(nearest.first);
  update_winner(nearest.first, sample);
  if (!gone.empty()) {
    for (const std::int32_t node : gone)
      deleted_nodes_.count += settings_.count_indices ? node + 1 : 1;
    remove(gone);
  }
  return true;
}

// Distance to the farthest neighbour; for a node without neighbours, to the nearest node.
double SoinnPlus::similarity_threshold(std::int32_t node) {
  if (graph_.is_isolated(node))  // the first hit is the node itself, or a copy of it
    return std::sqrt(positions_.nearest_two(positions_[node]).second_square);
  double farthest = 0.0;
  for (const Link& link : graph_.links(node))
    farthest = std::max(farthest, positions_.square_between(node, link.node));
  return std::sqrt(farthest);
}

// Frequent winners are trusted; for other nodes, thresholds far above the usual ones forbid an edge.
bool SoinnPlus::may_link(const TwoNearest& nearest, double winner_threshold,
                         double runner_up_threshold) const {
  if (winner_thresholds_.squares == 0.0 || runner_up_thresholds_.squares == 0.0) return true;
  const auto usual = [this](const RunningSpread& spread, double threshold, double trust) {
    return threshold * (1.0 - trust) < spread.mean + kLink * std::sqrt(spread.squares / n_links_);
  };
  std::int64_t most_wins = 0;
  for (std::size_t i = 0; i < n_nodes(); ++i)
    if (!graph_.is_isolated(static_cast<std::int32_t>(i)))
      most_wins = std::max(most_wins, wins_[i]);
  if (most_wins == 0) return true;  // no other edge to compare with
  const auto trust = [&](std::int32_t node) {
    return static_cast<double>(wins_[node]) / static_cast<double>(most_wins);
  };
  return usual(winner_thresholds_, winner_threshold, trust(nearest.first)) ||
         usual(runner_up_thresholds_, runner_up_threshold, trust(nearest.second));
}

void SoinnPlus::link(const TwoNearest& nearest, double winner_threshold,
                     double runner_up_threshold) {
  constexpr std::int64_t kNewAge = 1;
  const bool is_new = graph_.connect(nearest.first, nearest.second, kNewAge);
  if (is_new == settings_.usual_of_renewed) return;
  ++n_links_;
  winner_thresholds_.add(winner_threshold, n_links_);
  runner_up_thresholds_.add(runner_up_threshold, n_links_);
}

// Deletes the winner's edges that are too old for its component; returns the nodes that lost their last edge.
std::vector<std::int32_t> SoinnPlus::delete_old_edges(std::int32_t winner) {
  graph_.collect_ages_around(winner, ages_);
  if (ages_.empty()) return {};
  const auto n = static_cast<double>(ages_.size());
  const double third = hazen_quantile(ages_, 0.75);
  const double range = third - hazen_quantile(ages_, 0.25);
  if (range == 0.0) return {};
  const double limit = deleted_edges_.blend(third + kEdge * range, n);
  double sum = 0.0;
  for (const Link& link : graph_.links(winner)) {
    const auto age = static_cast<double>(link.age);
    if (age > limit) sum += age;
  }
  std::vector<std::int32_t> cut = graph_.disconnect_older(winner, limit);
  if (!cut.empty()) deleted_edges_.add(sum, static_cast<double>(cut.size()));
  std::erase_if(cut, [this](std::int32_t node) { return !graph_.is_isolated(node); });
  return cut;
}

void SoinnPlus::update_winner(std::int32_t winner, const double* sample) {
  const auto wins = static_cast<double>(++wins_[winner]);
  last_win_[winner] = n_seen_;
  positions_.move(winner, sample, [wins](double gap) { return gap / wins; });
  for (const Link& link : graph_.links(winner)) {
    const double slowness = kNeighbourSlowness * static_cast<double>(wins_[link.node]);
    positions_.move(link.node, sample, [slowness](double gap) { return gap / slowness; });
  }
}

// Deletes isolated nodes that have been idle for longer than usual for nodes with edges.
void SoinnPlus::delete_noise() {
  unutility_.resize(n_nodes());
  of_data_.clear();
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    unutility_[i] = static_cast<double>(n_seen_ - last_win_[i]) / static_cast<double>(wins_[i]);
    if (!graph_.is_isolated(static_cast<std::int32_t>(i))) of_data_.push_back(unutility_[i]);
  }
  if (of_data_.empty() || of_data_.size() == n_nodes()) return;
  const auto n_data = static_cast<double>(of_data_.size()), n = static_cast<double>(n_nodes());
  const double median = hazen_quantile(of_data_, 0.5);
  for (double& u : of_data_) u = std::abs(u - median);
  const double limit_now = median + kNode * kMadScale * hazen_quantile(of_data_, 0.5);
  const double noise_level = (n - n_data) / n;
  const double limit = deleted_nodes_.blend(limit_now * (1.0 - noise_level), n_data);
  std::vector<std::int32_t> gone;
  double sum = 0.0;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const auto node = static_cast<std::int32_t>(i);
    if (!graph_.is_isolated(node) || unutility_[i] <= limit) continue;
    gone.push_back(node);
    sum += unutility_[i];
  }
  if (gone.empty()) return;
  deleted_nodes_.add(sum, static_cast<double>(gone.size()));
  remove(gone);
}

void SoinnPlus::remove(std::span<const std::int32_t> gone) {
  const std::vector<std::size_t> kept = all_except(n_nodes(), gone);
  positions_.keep(kept);
  graph_.keep(kept);
  keep_values(wins_, kept);
  keep_values(last_win_, kept);
}

void SoinnPlus::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  assign_nearest(positions_, graph_.components(), rows, n, labels);
}

}  // namespace phida::systems
