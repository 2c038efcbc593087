#include "nodes/compaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/squares.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// How far to look for partners at first, as a multiple of the cost that is expected for the last merge.
constexpr double kReach = 1.5;

// From so many features on, pairs are sieved as floats.
constexpr std::size_t kSievedDims = 96;

// About so many blocks of eight nodes are looked at to guess a reach.
constexpr std::size_t kProbedBlocks = 32;

// A union may come closer to a third node than both of its halves by rounding alone. So pairs are merged only if they
// are below the reach by more than that.
constexpr double kUnionRounding = 1.0 - 1e-9;

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
    nodes.leaf[a] = nodes.leaf[b];
    nodes.gap[a] = nodes.gap[b];
    nodes.spacing[a] = nodes.spacing[b];
    if (nodes.keeps_examples()) {
      std::copy_n(nodes.example[b], nodes.dims(), nodes.example[a]);
      nodes.example_row[a] = nodes.example_row[b];
    }
  }
}

double Compaction::merge_cheapest(FineNodes& nodes, const double* scaling, std::size_t target,
                                  double expected) {
  std::size_t left = nodes.size();
  if (left <= target) return expected;
  start(nodes, scaling);
  reach_ = kReach * expected;
  double last = 0.0;
  constexpr double kMost = std::numeric_limits<double>::max();
  bool too_short = reach_ == 0.0;
  while (left > target) {
    if (heap_.empty()) {
      if (too_short && reach_ == kMost) break;  // no distance is finite
      if (too_short) reach_ = std::min(std::max(2.0 * reach_, reach_for(left - target)), kMost);
      too_short = true;
      search(nodes);
      continue;
    }
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
    take_row(nodes, pair.a);
    inverse_weight_[pair.a] = 1.0 / nodes.weight[pair.a];
    inverse_weight_[pair.b] = -std::numeric_limits<double>::infinity();
    into_[pair.b] = pair.a;
    ++age_[pair.a];
    --left;
    last = pair.cost;
    std::vector<Partner>& partners = partners_[pair.a];
    for (Partner partner : partners_[pair.b]) {
      partner.age = -1;  // what was measured from the other node is a bound for the union
      partners.push_back(partner);
    }
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
  wide_ = nodes.dims() >= kSievedDims;
  if (blocks_.dims() != nodes.dims()) blocks_ = BlockedRows(nodes.dims());
  blocks_.resize(n);
  if (wide_) rounded_ = RoundedRows(nodes.dims());
  if (wide_) rounded_.resize(n);
  for (std::size_t i = 0; i < n; ++i) take_row(nodes, i);
  inverse_weight_.assign(padded(n), -std::numeric_limits<double>::infinity());
  into_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    inverse_weight_[i] = 1.0 / nodes.weight[i];
    into_[i] = static_cast<std::int32_t>(i);
  }
  age_.assign(n, 0);
  partners_.resize(std::max(partners_.size(), n));
  squares_.resize(padded(n) * kLanes);
  limits_.resize(padded(n) * kLanes);
  found_.resize(padded(n) * kLanes);
  heap_.clear();
}

// The node's row in the forms that are searched.
void Compaction::take_row(const FineNodes& nodes, std::size_t node) {
  blocks_.set(node, nodes.mean[node]);
  if (!wide_) return;
  row_.assign(nodes.mean[node], nodes.mean[node] + nodes.mean.stride());
  if (scaling_ != nullptr)
    for (std::size_t j = 0; j < row_.size(); ++j) row_[j] *= scaling_[j];
  rounded_.set(node, row_.data());
}

// Finds all pairs within reach. Ward's cost is reducible: a union is never closer to a third node than its nearer half.
// So the joined lists of two nodes hold every partner of their union that is within reach.
void Compaction::search(const FineNodes& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) partners_[i].clear();
  wide_ ? search_floats(nodes) : search_blocks(nodes);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (into_[i] == static_cast<std::int32_t>(i)) offer(nodes, static_cast<std::int32_t>(i));
}

void Compaction::note_pair(std::int32_t a, std::int32_t b, double square) {
  const double cost = square / (inverse_weight_[a] + inverse_weight_[b]);
  partners_[a].push_back({b, age_[b], age_[a], cost});
  partners_[b].push_back({a, age_[a], age_[b], cost});
}

void Compaction::search_blocks(const FineNodes& nodes) {
  const std::size_t n = nodes.size(), dims = nodes.dims();
  for (std::size_t block = 0; block < blocks_.blocks(); ++block) {
    const std::size_t first = block * kLanes, count = padded(n) - first;
    kernels().squared_distances_of_eight(blocks_.data() + first * dims, scaling_,
                                         blocks_.data() + first * dims, blocks_.blocks() - block,
                                         dims, squares_.data());
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t lane = 0; lane < kLanes; ++lane)
        limits_[k * kLanes + lane] =
            reach_ * (inverse_weight_[first + k] + inverse_weight_[first + lane]);
    const std::size_t found =
        kernels().positions_within(squares_.data(), limits_.data(), count * kLanes, found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const auto at = static_cast<std::size_t>(found_[f]);
      const auto a = static_cast<std::int32_t>(first + at % kLanes);
      const auto b = static_cast<std::int32_t>(first + at / kLanes);
      if (b > a) note_pair(a, b, squares_[at]);
    }
  }
}

// Distances between floats are off by at most the rounding of both rows, and by that of scaling before the difference.
void Compaction::search_floats(const FineNodes& nodes) {
  const std::size_t n = nodes.size(), dims = nodes.dims();
  const double slack = 1.0 + static_cast<double>(dims / 16 + 8) * 0x1p-21;
  const double error = 2.0 * rounded_.error() + 0x1p-50 * rounded_.largest_norm() + kFloatUnderflow;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (into_[i] != static_cast<std::int32_t>(i)) continue;
    for (std::size_t k = i + 1; k < n; ++k) {
      const double limit = reach_ * (inverse_weight_[i] + inverse_weight_[k]);
      const double distance = limit >= 0.0 ? std::sqrt(limit) + error : -1.0;
      limits_[k] = distance < 0.0 ? -1.0 : distance * distance * slack;
    }
    const std::size_t stride = rounded_.stride();
    const std::size_t found = kernels().rows_within_floats(
        rounded_.data() + i * stride, rounded_.data() + (i + 1) * stride, n - i - 1, stride,
        limits_.data() + i + 1, squares_.data(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const std::size_t k = i + 1 + static_cast<std::size_t>(found_[f]);
      const double square = square_in_order(nodes.mean[i], nodes.mean[k], scaling_, dims);
      if (square <= reach_ * (inverse_weight_[i] + inverse_weight_[k]))
        note_pair(static_cast<std::int32_t>(i), static_cast<std::int32_t>(k), square);
    }
  }
}

// Partners by their current names, ascending, each once. What is known of a part of a union bounds the whole.
void Compaction::tidy(std::vector<Partner>& partners, std::int32_t a) {
  for (Partner& partner : partners) {
    const std::int32_t now = root(partner.node);
    if (now != partner.node || partner.age != age_[now] || partner.age_self != age_[a])
      partner.age = -1;
    partner.node = now;
  }
  std::sort(partners.begin(), partners.end(), [](const Partner& x, const Partner& y) {
    return x.node != y.node ? x.node < y.node : x.bound < y.bound;
  });
  std::size_t kept = 0;
  for (const Partner& partner : partners) {
    if (partner.node == a) continue;
    if (kept > 0 && partners[kept - 1].node == partner.node)
      partners[kept - 1].age = -1;
    else
      partners[kept++] = partner;
  }
  partners.resize(kept);
}

// Puts the cheapest pair of a node on the heap, ties to the lower partner. Costs are measured only where their bounds do
// not rule a partner out.
void Compaction::offer(const FineNodes& nodes, std::int32_t a) {
  std::vector<Partner>& partners = partners_[a];
  tidy(partners, a);
  const auto measure = [&](Partner& partner) {
    if (partner.age >= 0) return;
    const double square =
        square_in_order(nodes.mean[a], nodes.mean[partner.node], scaling_, nodes.dims());
    partner.bound = square / (inverse_weight_[a] + inverse_weight_[partner.node]);
    partner.age = age_[partner.node];
    partner.age_self = age_[a];
  };
  const auto likely =
      std::min_element(partners.begin(), partners.end(),
                       [](const Partner& x, const Partner& y) { return x.bound < y.bound; });
  if (likely == partners.end()) return;
  measure(*likely);
  double best = likely->bound;
  for (Partner& partner : partners) {
    if (partner.bound * kUnionRounding > best) continue;
    measure(partner);
    best = std::min(best, partner.bound);
  }
  std::int32_t with = -1;
  for (const Partner& partner : partners)
    if (with < 0 && partner.age >= 0 && partner.bound == best) with = partner.node;
  std::erase_if(partners, [&](const Partner& partner) { return !(partner.bound <= reach_); });
  if (!(best <= reach_ * kUnionRounding)) return;
  const std::int32_t lower = std::min(a, with), upper = std::max(a, with);
  heap_.push_back({best, lower, upper, age_[lower], age_[upper], a});
  std::push_heap(heap_.begin(), heap_.end());
}

// The cost within which so many nodes have a partner that as many merges are likely; found from some of the nodes.
double Compaction::reach_for(std::size_t merges) {
  const std::size_t n = into_.size(), dims = blocks_.dims();
  std::size_t live = 0;
  for (std::size_t i = 0; i < n; ++i) live += into_[i] == static_cast<std::int32_t>(i);
  const std::size_t step = std::max<std::size_t>(1, live / kLanes / kProbedBlocks);
  cheapest_.clear();
  for (std::size_t block = 0; block < blocks_.blocks(); block += step) {
    const std::size_t first = block * kLanes;
    kernels().squared_distances_of_eight(blocks_.data() + first * dims, scaling_, blocks_.data(),
                                         blocks_.blocks(), dims, squares_.data());
    double least[kLanes];
    std::fill_n(least, kLanes, std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < n; ++k) {
      if (into_[k] != static_cast<std::int32_t>(k)) continue;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double cost =
            squares_[k * kLanes + lane] / (inverse_weight_[k] + inverse_weight_[first + lane]);
        if (k != first + lane && cost >= 0.0) least[lane] = std::min(least[lane], cost);
      }
    }
    for (std::size_t i = first; i < std::min(n, first + kLanes); ++i)
      if (into_[i] == static_cast<std::int32_t>(i)) cheapest_.push_back(least[i - first]);
  }
  if (cheapest_.empty()) return std::numeric_limits<double>::max();
  const std::size_t rank = std::min(2 * merges * cheapest_.size() / live, cheapest_.size() - 1);
  std::nth_element(cheapest_.begin(), cheapest_.begin() + static_cast<std::ptrdiff_t>(rank),
                   cheapest_.end());
  // Beyond what offers are held back for.
  return cheapest_[rank] / kUnionRounding * (1.0 + 1e-9) + std::numeric_limits<double>::min();
}

bool Compaction::is_current(const Pair& pair) const {
  return into_[pair.a] == pair.a && into_[pair.b] == pair.b && age_[pair.a] == pair.age_a &&
         age_[pair.b] == pair.age_b;
}

std::int32_t Compaction::root(std::int32_t node) {
  while (into_[node] != node) node = into_[node] = into_[into_[node]];
  return node;
}

}  // namespace phida
