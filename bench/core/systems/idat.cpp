#include "systems/idat.hpp"

#include <algorithm>
#include <cmath>

#include "nodes/matching.hpp"
#include "numeric/hazen_quantile.hpp"
#include "systems/removal.hpp"

namespace phida::systems {
namespace {

constexpr double kTukey = 1.5;
constexpr std::int64_t kMostHits = 2;

std::int64_t age_between(const AgedGraph& graph, std::int32_t a, std::int32_t b) {
  for (const Link& link : graph.links(a))
    if (link.node == b) return link.age;
  return 0;
}

double sum_of_ages(const AgedGraph& graph, std::size_t node) {
  std::int64_t sum = 0;
  for (const Link& link : graph.links(static_cast<std::int32_t>(node))) sum += link.age;
  return static_cast<double>(sum);
}

// Reorders the values.
Quartiles quartiles(std::vector<double>& values) {
  return {.first = hazen_quantile(values, 0.25), .third = hazen_quantile(values, 0.75)};
}

}  // namespace

void Idat::learn(const double* sample) {
  const double* const x = samples_.append(sample);
  if (n_nodes() < 3) {
    add_node(x);
    if (n_nodes() == 2) scale_[0] = scale_[1];
  } else {
    match_and_learn(x);
  }
  if (n_seen_ % static_cast<std::int64_t>(vigilance_.interval) == 0) {
    remove_long_edges();
    remove_single_nodes();
    demote_idle_nodes();
  }
  ++n_seen_;
  ++since_recalculation_;
  if (since_recalculation_ >= vigilance_.interval && n_nodes() > 2) recalculate_vigilance();
}

void Idat::add_node(const double* sample) {
  positions_.append(sample);
  count_.push_back(1.0);
  scale_.push_back(moments_.add(sample));
  active_.push_back(0);
  edges_.add_node();
  candidates_.add_node();
  previous_count_.push_back(0.0);
  previous_candidates_.push_back(0.0);
  hits_.push_back(0);
}

void Idat::match_and_learn(const double* sample) {
  const TwoNearest nearest = positions_.nearest_two(sample);
  const std::int32_t first = nearest.first, second = nearest.second;
  const double first_similarity = similarity(std::sqrt(nearest.first_square), scale_[first]);
  const double second_similarity = similarity(std::sqrt(nearest.second_square), scale_[second]);
  if (first_similarity < vigilance_.threshold) {
    add_node(sample);
    return;
  }
  const double count = count_[first] += 1.0;
  positions_.move(first, sample, [count](double gap) { return gap / count; });
  scale_[first] = moments_.add(sample);
  if (!(second_similarity > vigilance_.threshold)) return;
  const double both = count + (count_[second] += 1.0);
  positions_.move(second, sample, [both](double gap) { return gap / both; });
  coactivate(first, second);
}

// Nodes that learn the same samples more often than others become active; if this happens often, they become
// neighbours.
void Idat::coactivate(std::int32_t winner, std::int32_t runner_up) {
  const double usual = usual_count();
  if (!(count_[winner] > usual && count_[runner_up] > usual)) return;
  active_[winner] = active_[runner_up] = 1;
  const std::int64_t times = age_between(candidates_, winner, runner_up) + 1;
  n_candidates_ += candidates_.connect(winner, runner_up, times);
  n_coactivations_ += 1;
  const double mean = static_cast<double>(n_coactivations_) / static_cast<double>(n_candidates_);
  if (static_cast<double>(times) > mean)
    edges_.connect(winner, runner_up, age_between(edges_, winner, runner_up) + 1);
}

// The mean of the counts above 1.
double Idat::usual_count() const {
  double sum = 0.0, n = 0.0;
  for (const double count : count_) {
    sum += count > 1.0 ? count : 0.0;
    n += count > 1.0 ? 1.0 : 0.0;
  }
  return sum / n;
}

void Idat::remove_long_edges() {
  const std::vector<Edge> edges = edges_.edges();
  if (edges.empty()) return;
  std::vector<double> lengths;
  for (const Edge& edge : edges)
    lengths.push_back(std::sqrt(positions_.square_between(edge.a, edge.b)));
  std::vector<double> reordered = lengths;
  const Quartiles q = quartiles(reordered);
  const double limit = q.third + kTukey * (q.third - q.first);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (!(lengths[e] > limit)) continue;
    edges_.disconnect(edges[e].a, edges[e].b);
    n_coactivations_ -= age_between(candidates_, edges[e].a, edges[e].b);
    n_candidates_ -= 1;
    candidates_.disconnect(edges[e].a, edges[e].b);
  }
}

// Limits the nodes that learned only one sample to the interval; the oldest are removed.
void Idat::remove_single_nodes() {
  std::vector<std::int32_t> single;
  for (std::size_t i = 0; i < n_nodes(); ++i)
    if (count_[i] == 1.0) single.push_back(static_cast<std::int32_t>(i));
  if (single.size() == n_nodes() || single.size() <= vigilance_.interval) return;
  single.resize(single.size() - vigilance_.interval);
  keep(all_except(n_nodes(), single));
}

// Active nodes without edges that hardly learn any more, twice in a row, become inactive.
void Idat::demote_idle_nodes() {
  std::vector<double> activity(n_nodes()), positive;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const double candidates = sum_of_ages(candidates_, i);
    activity[i] = (count_[i] - previous_count_[i]) + (candidates - previous_candidates_[i]);
    if (activity[i] > 0.0) positive.push_back(activity[i]);
    previous_count_[i] = count_[i];
    previous_candidates_[i] = candidates;
  }
  if (positive.empty()) {
    std::ranges::fill(hits_, 0);
    return;
  }
  const Quartiles q = quartiles(positive);
  const double bound = std::max(q.first - kTukey * (q.third - q.first), 0.0);
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const bool idle =
        active_[i] && edges_.is_isolated(static_cast<std::int32_t>(i)) && activity[i] <= bound;
    hits_[i] = idle ? hits_[i] + 1 : 0;
    if (hits_[i] < kMostHits) continue;
    active_[i] = 0;
    hits_[i] = 0;
  }
}

void Idat::keep(std::span<const std::size_t> kept) {
  positions_.keep(kept);
  keep_values(count_, kept);
  keep_values(scale_, kept);
  keep_values(active_, kept);
  edges_.keep(kept);
  candidates_.keep(kept);
  keep_values(previous_count_, kept);
  keep_values(previous_candidates_, kept);
  keep_values(hits_, kept);
  n_candidates_ = n_coactivations_ = 0;
  for (const Edge& pair : candidates_.edges()) {
    n_candidates_ += 1;
    n_coactivations_ += pair.age;
  }
}

void Idat::recalculate_vigilance() {
  const double largest = std::max(std::ranges::max(scale_), 1e-6);
  const double share =
      static_cast<double>(edges_.components().count) / static_cast<double>(n_nodes());
  vigilance_ = recalculate(vigilance_, samples_, nullptr, 1.0 / largest, share, window_,
                           ThresholdAt::kComplement);
  keep_samples();
  since_recalculation_ = 0;
}

std::size_t Idat::n_active_nodes() const {
  return static_cast<std::size_t>(std::ranges::count(active_, 1));
}

std::size_t Idat::n_clusters() const { return view().n_clusters; }

Idat::View Idat::view() const {
  constexpr std::int64_t kUnnumbered = -1;
  const Components components = edges_.components();
  const bool all = n_active_nodes() == 0;
  std::vector<std::int64_t> number(components.count, kUnnumbered);
  View view;
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    if (!all && !active_[i]) continue;
    std::int64_t& cluster = number[components.of_node[i]];
    if (cluster == kUnnumbered) cluster = static_cast<std::int64_t>(view.n_clusters++);
    view.node.push_back(static_cast<std::int32_t>(i));
    view.cluster.push_back(cluster);
  }
  return view;
}

void Idat::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  const View seen = view();
  for (std::size_t r = 0; r < n; ++r) {
    const std::span<const double> squares = positions_.squares(rows + r * dims());
    double best = -1.0;
    for (std::size_t i = 0; i < seen.node.size(); ++i) {
      const std::int32_t node = seen.node[i];
      const double alike = similarity(std::sqrt(squares[node]), scale_[node]);
      if (!(alike > best)) continue;  // equal distances go to the lower index
      best = alike;
      labels[r] = seen.cluster[i];
    }
  }
}

bool Idat::is_consistent() const {
  const std::size_t n = n_nodes();
  return count_.size() == n && scale_.size() == n && active_.size() == n && edges_.size() == n &&
         candidates_.size() == n && previous_count_.size() == n &&
         previous_candidates_.size() == n && hits_.size() == n && vigilance_.interval >= 2;
}

}  // namespace phida::systems
