#include "nodes/compaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How far to look for partners at first, as a multiple of the cost that is expected for the last merge.
constexpr double kReach = 1.5;

// A union may come closer to a third node than both of its halves by rounding alone. So pairs are merged only if they
// are below the reach by more than that.
constexpr double kRounding = 1.0 - 1e-9;

}  // namespace

void merge_nodes(FineNodes& nodes, std::size_t a, std::size_t b) {
  const double wa = nodes.weight[a], wb = nodes.weight[b], total = wa + wb;
  const double product = wa * (wb / total);
  double* const mean = nodes.mean[a];
  const double* const other = nodes.mean[b];
  for (std::size_t j = 0; j < nodes.dims(); ++j) {
    const double gap = other[j] - mean[j];
    nodes.scatter[a][j] = (nodes.scatter[a][j] + nodes.scatter[b][j]) + product * gap * gap;
    mean[j] = (mean[j] * wa + other[j] * wb) / total;
  }
  nodes.weight[a] = total;
  nodes.credit[a] = 0.0;
  LineageColumns& lineage = nodes.lineage;
  lineage.won[a] += lineage.won[b];
  lineage.won_mapped[a] += lineage.won_mapped[b];
  lineage.recent[a] += lineage.recent[b];
  if (wb > wa) {
    lineage.cluster_id[a] = lineage.cluster_id[b];
    lineage.parent_id[a] = lineage.parent_id[b];
    lineage.candidate[a] = lineage.candidate[b];
    lineage.away[a] = lineage.away[b];
    nodes.gap[a] = nodes.gap[b];
    nodes.birth[a] = nodes.birth[b];
  }
}

double Compaction::merge_cheapest(FineNodes& nodes, const double* scaling, std::size_t target,
                                  double expected) {
  std::size_t left = nodes.size();
  if (left <= target) return expected;
  start(nodes, scaling);
  reach_ = kReach * expected;
  double last = 0.0;
  bool too_short = reach_ == 0.0;
  while (left > target) {
    if (heap_.empty()) {
      if (too_short)
        reach_ = std::min(std::max(2.0 * reach_, reach_for(left - target)),
                          std::numeric_limits<double>::max());
      too_short = true;
      search(nodes);
    }
    if (heap_.empty()) break;  // no distance is finite
    std::pop_heap(heap_.begin(), heap_.end());
    const Pair pair = heap_.back();
    heap_.pop_back();
    if (into_[pair.of] != pair.of) continue;
    if (!is_current(pair)) {
      // The node's partner has changed. A union is never closer than both of its halves, so the old cost is a bound.
      if (age_[pair.of] == (pair.of == pair.a ? pair.age_a : pair.age_b)) offer(nodes, pair.of);
      continue;
    }
    merge_nodes(nodes, pair.a, pair.b);
    blocks_.set(pair.a, nodes.mean[pair.a]);
    inverse_weight_[pair.a] = 1.0 / nodes.weight[pair.a];
    inverse_weight_[pair.b] = -kInfinity;
    into_[pair.b] = pair.a;
    ++age_[pair.a];
    --left;
    last = pair.cost;
    std::vector<std::int32_t>& partners = partners_[pair.a];
    partners.insert(partners.end(), partners_[pair.b].begin(), partners_[pair.b].end());
    offer(nodes, pair.a);
  }
  kept_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (into_[i] == static_cast<std::int32_t>(i)) kept_.push_back(i);
  nodes.keep(kept_);
  return last;
}

void Compaction::start(const FineNodes& nodes, const double* scaling) {
  const std::size_t n = nodes.size();
  scaling_ = scaling;
  if (blocks_.dims() != nodes.dims()) blocks_ = BlockedRows(nodes.dims());
  blocks_.resize(n);
  for (std::size_t i = 0; i < n; ++i) blocks_.set(i, nodes.mean[i]);
  inverse_weight_.assign(padded(n), -kInfinity);
  into_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    inverse_weight_[i] = 1.0 / nodes.weight[i];
    into_[i] = static_cast<std::int32_t>(i);
  }
  age_.assign(n, 0);
  partners_.resize(std::max(partners_.size(), n));
  squares_.resize(padded(n));
  limits_.resize(padded(n));
  found_.resize(padded(n));
  heap_.clear();
}

// Finds all pairs within reach. Ward's cost is reducible: a union is never closer to a third node than its nearer half.
// So the joined lists of two nodes hold every partner of their union that is within reach.
void Compaction::search(const FineNodes& nodes) {
  const std::size_t n = nodes.size(), dims = nodes.dims();
  for (std::size_t i = 0; i < n; ++i) partners_[i].clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (into_[i] != static_cast<std::int32_t>(i)) continue;
    const std::size_t first = i / kLanes, start = first * kLanes, count = padded(n) - start;
    kernels().squared_distances(nodes.mean[i], scaling_, blocks_.data() + start * dims,
                                blocks_.blocks() - first, dims, squares_.data());
    for (std::size_t k = 0; k < count; ++k)
      limits_[k] = reach_ * (inverse_weight_[i] + inverse_weight_[start + k]);
    const std::size_t found =
        kernels().positions_within(squares_.data(), limits_.data(), count, found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const std::size_t other = start + static_cast<std::size_t>(found_[f]);
      if (other <= i) continue;
      partners_[i].push_back(static_cast<std::int32_t>(other));
      partners_[other].push_back(static_cast<std::int32_t>(i));
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    if (into_[i] == static_cast<std::int32_t>(i)) offer(nodes, static_cast<std::int32_t>(i));
}

// Puts the cheapest pair of a node on the heap, ties to the lower partner, and tidies the list of its partners.
void Compaction::offer(const FineNodes& nodes, std::int32_t a) {
  std::vector<std::int32_t>& partners = partners_[a];
  for (std::int32_t& partner : partners) partner = root(partner);
  std::sort(partners.begin(), partners.end());
  partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
  double best = kInfinity;
  std::int32_t with = -1;
  std::size_t kept = 0;
  for (const std::int32_t partner : partners) {
    if (partner == a) continue;
    const double c = cost(nodes, a, partner);
    if (!(c <= reach_)) continue;
    partners[kept++] = partner;
    if (c < best) {
      best = c;
      with = partner;
    }
  }
  partners.resize(kept);
  if (with < 0 || !(best <= reach_ * kRounding)) return;
  const std::int32_t lower = std::min(a, with), upper = std::max(a, with);
  heap_.push_back({best, lower, upper, age_[lower], age_[upper], a});
  std::push_heap(heap_.begin(), heap_.end());
}

// The cost within which so many nodes have a partner that as many merges are likely.
double Compaction::reach_for(std::size_t merges) {
  const std::size_t n = into_.size(), dims = blocks_.dims();
  AlignedDoubles row(padded(dims), 0.0);
  cheapest_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    if (into_[i] != static_cast<std::int32_t>(i)) continue;
    const double* const block = blocks_.data() + i / kLanes * dims * kLanes + i % kLanes;
    for (std::size_t j = 0; j < dims; ++j) row[j] = block[j * kLanes];
    kernels().squared_distances(row.data(), scaling_, blocks_.data(), blocks_.blocks(), dims,
                                squares_.data());
    double least = kInfinity;
    for (std::size_t k = 0; k < n; ++k) {
      const double sum = inverse_weight_[i] + inverse_weight_[k];
      if (k != i && sum > 0.0) least = std::min(least, squares_[k] / sum);
    }
    cheapest_.push_back(least);
  }
  const std::size_t rank = std::min(2 * merges, cheapest_.size()) - 1;
  std::nth_element(cheapest_.begin(), cheapest_.begin() + static_cast<std::ptrdiff_t>(rank),
                   cheapest_.end());
  // Beyond what offers are held back for.
  return cheapest_[rank] / kRounding * (1.0 + 1e-9) + std::numeric_limits<double>::min();
}

bool Compaction::is_current(const Pair& pair) const {
  return into_[pair.a] == pair.a && into_[pair.b] == pair.b && age_[pair.a] == pair.age_a &&
         age_[pair.b] == pair.age_b;
}

std::int32_t Compaction::root(std::int32_t node) {
  while (into_[node] != node) node = into_[node] = into_[into_[node]];
  return node;
}

double Compaction::cost(const FineNodes& nodes, std::int32_t a, std::int32_t b) const {
  double square = 0.0;
  for (std::size_t j = 0; j < nodes.dims(); ++j) {
    double difference = nodes.mean[a][j] - nodes.mean[b][j];
    if (scaling_ != nullptr) difference *= scaling_[j];
    square += difference * difference;
  }
  return square / (inverse_weight_[a] + inverse_weight_[b]);
}

}  // namespace phida
