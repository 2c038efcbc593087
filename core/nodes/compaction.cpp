#include "nodes/compaction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

// The cost of the last merge is estimated from the last compaction and its growth. The mean error of that estimate then
// decides how far to search for partners at first. Searching too far costs more than searching twice: with many features
// distances are nearly equal, and a little more reach adds far more pairs.
constexpr double kOffNow = 0.5, kReachPerOff = 1.5, kLeastMargin = 0.02;

// Growth slows down. The fewer features, the faster it is at first.
constexpr double kGrowthNow = 0.5, kNextGrowth = 0.75, kFirstGrowth = 7.0;

// Blocks of eight nodes sampled to estimate a reach, and the margin that its error needs.
constexpr std::size_t kProbedBlocks = 4;
constexpr double kProbeMargin = 1.07, kProbeMarginPerFeature = 2.0;

// A union may be closer to a third node than its halves allow, by rounding alone: costs are at least this share of what
// they would be. So pairs are merged only if they are below the reach by more than that.
constexpr double kUnionRounding = 1.0 - 1e-6;

// Rounding moves each value of a union's mean by at most this share of it. If that is a larger share of a distance
// than the root of the next number, kUnionRounding does not cover the effect. Squares below the last number are
// inexact themselves.
constexpr double kOffOfMean = 0x1p-51, kMostOfSquare = 0x1p-45, kInexactSquare = 0x1p-1000;

// Marks a partner of both halves of a union.
constexpr std::int32_t kJoined = -2;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  nodes.lineage.merge(a, b, wb > wa);
  if (wb > wa) {
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
  const double margin = kReachPerOff * off_ + kLeastMargin;
  constexpr double kMost = std::numeric_limits<double>::max();
  if (!growth_) growth_ = kFirstGrowth / static_cast<double>(nodes.dims());
  const double estimate = (1.0 + kNextGrowth * *growth_) * expected;
  reach_ = std::min((1.0 + margin) * estimate, kMost);
  double last = 0.0;
  bool too_short = reach_ == 0.0;
  while (left > target) {
    if (heap_.empty()) {
      if (too_short && reach_ == kMost) break;  // all distances are infinite
      if (too_short)
        reach_ =
            std::min(std::max((1.0 + margin) * reach_, reach_for(nodes, left - target)), kMost);
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
    if (is_rounded(nodes, pair))
      list_all(pair);
    else
      join_lists(nodes, pair);
    merge_nodes(nodes, pair.a, pair.b);
    close_.set(static_cast<std::size_t>(pair.a), nodes.mean[pair.a]);
    inverse_weight_[pair.a] = 1.0 / nodes.weight[pair.a];
    inverse_weight_[pair.b] = -kInfinity;
    into_[pair.b] = pair.a;
    ++age_[pair.a];
    --left;
    last = pair.cost;
    offer(nodes, pair.a);
  }
  if (expected > 0.0 && last > 0.0) {
    off_ += kOffNow * (std::min(std::abs(last / estimate - 1.0), 1.0) - off_);
    *growth_ += kGrowthNow * (std::clamp(last / expected - 1.0, -0.5, 2.0) - *growth_);
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
  close_.assign(nodes.mean, scaling);
  inverse_weight_.resize(n);
  into_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    inverse_weight_[i] = 1.0 / nodes.weight[i];
    into_[i] = static_cast<std::int32_t>(i);
  }
  age_.assign(n, 0);
  partners_.resize(std::max(partners_.size(), n));
  limits_.resize(n);
  listed_.assign(n, 0);
  heap_.clear();
}

// Finds all pairs within reach. Ward's cost is reducible: a union is never closer to a third node than its nearer
// half. So the joined lists of two nodes contain every partner of their union within reach.
void Compaction::search(const FineNodes& nodes) {
  const std::size_t n = nodes.size();
  for (std::size_t i = 0; i < n; ++i) {
    partners_[i].clear();
    limits_[i] = reach_ * inverse_weight_[i];
  }
  close_.visit(limits_, [&](const ClosePairs::Pair& pair) {
    const double bound = pair.least / (inverse_weight_[pair.a] + inverse_weight_[pair.b]);
    partners_[pair.a].push_back({pair.b, -1, age_[pair.a], bound});
    partners_[pair.b].push_back({pair.a, -1, age_[pair.b], bound});
  });
  for (std::size_t i = 0; i < n; ++i)
    if (into_[i] == static_cast<std::int32_t>(i)) offer_tidy(nodes, static_cast<std::int32_t>(i));
}

// Whether rounding may bring the union of a pair closer to a third node than both halves are. No third node is closer
// to the union than the cost of the pair, which was the cheapest, allows.
bool Compaction::is_rounded(const FineNodes& nodes, const Pair& pair) const {
  const double weight = nodes.weight[pair.a] + nodes.weight[pair.b];
  const double tiny = std::numeric_limits<double>::min() / weight;  // for products that underflow
  double square = kInexactSquare;
  for (std::size_t j = 0; j < nodes.dims(); ++j) {
    const double a = std::abs(nodes.mean[pair.a][j]), b = std::abs(nodes.mean[pair.b][j]);
    double off = kOffOfMean * (std::max(a, b) + tiny);
    if (scaling_ != nullptr) off *= scaling_[j];
    square += off * off;
  }
  return !(square <= kMostOfSquare * (pair.cost / weight));
}

// Joins the lists of a pair that is about to merge. A third node's cost to the union follows from its costs to both
// halves (Lance and Williams); it grows with them, so bounds give a bound. A node that is not on a list is beyond reach.
void Compaction::join_lists(const FineNodes& nodes, const Pair& pair) {
  std::vector<Partner>& partners = partners_[pair.a];
  std::vector<Partner>& others = partners_[pair.b];
  tidy(others, pair.b);
  tidy(partners, pair.a);
  const std::size_t listed = partners.size();
  const double wa = nodes.weight[pair.a], wb = nodes.weight[pair.b];
  const auto bound = [&](std::int32_t node, double to_a, double to_b) {
    const double w = nodes.weight[node], total = wa + wb + w;
    const double cost = (wa + w) / total * to_a + (wb + w) / total * to_b - w / total * pair.cost;
    return kUnionRounding * std::max(cost, 0.0);
  };
  for (const Partner& other : others) {
    if (other.node == pair.a) continue;
    const auto at = static_cast<std::size_t>(listed_[other.node]);
    if (at < listed && partners[at].node == other.node) {
      partners[at].bound = bound(other.node, partners[at].bound, other.bound);
      partners[at].age = kJoined;
    } else {
      partners.push_back({other.node, -1, -1, bound(other.node, reach_, other.bound)});
    }
  }
  for (std::size_t i = 0; i < listed; ++i) {
    Partner& partner = partners[i];
    if (partner.age != kJoined) partner.bound = bound(partner.node, partner.bound, reach_);
    partner.age = -1;
  }
}

// Lists all nodes as partners of a pair that is about to merge, without bounds.
void Compaction::list_all(const Pair& pair) {
  partners_[pair.a].clear();
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(into_.size()); ++i)
    if (i != pair.a && i != pair.b && into_[i] == i) partners_[pair.a].push_back({.node = i});
}

// Renames partners to their current nodes, each once. A bound for a part of a union holds for the union.
void Compaction::tidy(std::vector<Partner>& partners, std::int32_t a) {
  std::size_t kept = 0;
  for (Partner partner : partners) {
    const std::int32_t now = root(partner.node);
    if (now == a) continue;
    if (now != partner.node || partner.age != age_[now] || partner.age_self != age_[a])
      partner.age = -1;
    partner.node = now;
    const std::size_t before = static_cast<std::size_t>(listed_[now]);
    if (before < kept && partners[before].node == now) {
      partners[before].bound = std::min(partners[before].bound, partner.bound);
      partners[before].age = -1;
    } else {
      listed_[now] = static_cast<std::int32_t>(kept);
      partners[kept++] = partner;
    }
  }
  partners.resize(kept);
}

void Compaction::offer(const FineNodes& nodes, std::int32_t a) {
  tidy(partners_[a], a);
  offer_tidy(nodes, a);
}

// Puts the cheapest pair of a node on the heap, ties to the lower partner. Costs are measured only if their bounds do
// not exclude a partner.
void Compaction::offer_tidy(const FineNodes& nodes, std::int32_t a) {
  std::vector<Partner>& partners = partners_[a];
  double best = kInfinity;
  std::int32_t due[kLanes];
  Partner* due_partner[kLanes];
  std::size_t n_due = 0;
  const auto measure_due = [&] {
    double squares[kLanes];
    kernels().squares_to_rows(nodes.mean[a], scaling_, nodes.mean[0], nodes.mean.stride(), due,
                              n_due, squares);
    for (std::size_t i = 0; i < n_due; ++i) {
      Partner& partner = *due_partner[i];
      partner.bound = squares[i] / (inverse_weight_[a] + inverse_weight_[partner.node]);
      partner.age = age_[partner.node];
      partner.age_self = age_[a];
      best = std::min(best, partner.bound);
    }
    n_due = 0;
  };
  const auto measure = [&](Partner& partner) {
    if (partner.age >= 0) {
      best = std::min(best, partner.bound);
      return;
    }
    due[n_due] = partner.node;
    due_partner[n_due++] = &partner;
    if (n_due == kLanes) measure_due();
  };
  const auto likely =
      std::min_element(partners.begin(), partners.end(),
                       [](const Partner& x, const Partner& y) { return x.bound < y.bound; });
  if (likely == partners.end()) return;
  measure(*likely);
  measure_due();
  for (Partner& partner : partners)
    if (partner.bound * kUnionRounding <= best) measure(partner);
  measure_due();
  std::int32_t with = -1;
  for (const Partner& partner : partners)
    if (partner.age >= 0 && partner.bound == best && (with < 0 || partner.node < with))
      with = partner.node;
  std::erase_if(partners, [&](const Partner& partner) { return !(partner.bound <= reach_); });
  if (!(best <= reach_ * kUnionRounding)) return;
  const std::int32_t lower = std::min(a, with), upper = std::max(a, with);
  heap_.push_back({best, lower, upper, age_[lower], age_[upper], a});
  std::push_heap(heap_.begin(), heap_.end());
}

// The cost within which enough nodes have a partner for this many merges, estimated from a sample of the nodes. Costs
// are measured, because the bounds of nodes that are close to each other, or far from most others, can be 0.
double Compaction::reach_for(const FineNodes& nodes, std::size_t merges) {
  const std::size_t n = into_.size();
  std::size_t live = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_live = into_[i] == static_cast<std::int32_t>(i);
    live += is_live;
    limits_[i] = is_live ? kInfinity : -kInfinity;
  }
  const std::size_t step = std::max<std::size_t>(1, live / kLanes / kProbedBlocks);
  cheapest_.clear();
  for (std::size_t eight = 0; eight * kLanes < n; eight += step) {
    double least[kLanes];
    std::fill_n(least, kLanes, kInfinity);
    for (const ClosePairs::Pair& pair : close_.of_eight(eight, limits_)) {
      if (pair.a == pair.b) continue;
      double& cost = least[static_cast<std::size_t>(pair.a) % kLanes];
      const double inverse = inverse_weight_[pair.a] + inverse_weight_[pair.b];
      if (!(pair.least / inverse < cost)) continue;
      double squares[kLanes];
      kernels().squares_to_rows(nodes.mean[pair.a], scaling_, nodes.mean[0], nodes.mean.stride(),
                                &pair.b, 1, squares);
      cost = std::min(cost, squares[0] / inverse);
    }
    for (std::size_t i = eight * kLanes; i < std::min(n, (eight + 1) * kLanes); ++i)
      if (into_[i] == static_cast<std::int32_t>(i)) cheapest_.push_back(least[i % kLanes]);
  }
  if (cheapest_.empty()) return std::numeric_limits<double>::max();
  const std::size_t rank = std::min(2 * merges * cheapest_.size() / live, cheapest_.size() - 1);
  std::nth_element(cheapest_.begin(), cheapest_.begin() + static_cast<std::ptrdiff_t>(rank),
                   cheapest_.end());
  const double wider = kProbeMargin + kProbeMarginPerFeature / static_cast<double>(nodes.dims());
  // Beyond the limit up to which offers are deferred.
  return wider * cheapest_[rank] + std::numeric_limits<double>::min();
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
