#include "nodes/node_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "metric/moments.hpp"
#include "nodes/node_removal.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// One pair in so many nodes merges at a time.
constexpr std::size_t kShare = 16;

enum : std::uint8_t { kApart, kMerged, kGone };

}  // namespace

void absorb_node(NodeState& nodes, std::size_t into, std::size_t gone) {
  const double a = nodes.support[into], b = nodes.support[gone];
  const double share = b / (a + b), both = a * share;
  double* const y = nodes.representative[into];
  double* const mean = nodes.mean[into];
  double* const m2 = nodes.m2[into];
  for (std::size_t j = 0; j < nodes.dims(); ++j) {
    y[j] += share * (nodes.representative[gone][j] - y[j]);
    // The moments of two sets together, from those of each.
    const double apart = nodes.mean[gone][j] - mean[j];
    mean[j] += share * apart;
    m2[j] = std::min(m2[j] + (nodes.m2[gone][j] + both * (apart * apart)), kMostSquares);
  }
  nodes.support[into] = a + b;
  nodes.active[into] |= nodes.active[gone];
  nodes.won[into] += nodes.won[gone];
  nodes.won_mapped[into] += nodes.won_mapped[gone];
  nodes.recent[into] += nodes.recent[gone];
  nodes.stamp[into] = ++nodes.changes;
  nodes.pairs.absorb(static_cast<std::int32_t>(into), static_cast<std::int32_t>(gone));
}

void NodeBudget::find_partners(const NodeState& nodes, const double* scaling) {
  const std::size_t n = nodes.size(), dims = nodes.dims();
  order_.resize(n);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  if (blocks_.dims() != dims) blocks_ = BlockedRows(dims);
  blocks_.resize(n);
  root_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    blocks_.set(i, nodes.representative[i]);
    root_[i] = std::sqrt(nodes.support[i]);
  }
  squares_.resize(padded(n));
  price_.assign(n, std::numeric_limits<double>::infinity());
  partner_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    kernels().squared_distances(nodes.representative[i], scaling, blocks_.data(), blocks_.blocks(),
                                dims, squares_.data());
    partner_[i] = i == 0 ? 1 : 0;  // where all squares overflow
    for (std::size_t k = 0; k < n; ++k) {
      const double price = squares_[k] * std::min(root_[i], root_[k]);
      if (price < price_[i] && k != i) {
        price_[i] = price;
        partner_[i] = k;
      }
    }
  }
}

void NodeBudget::make_room(NodeState& nodes, const double* scaling) {
  const std::size_t n = nodes.size();
  find_partners(nodes, scaling);
  std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
    return price_[a] < price_[b] || (price_[a] == price_[b] && a < b);
  });
  merged_.assign(n, kApart);
  std::size_t wanted = std::max<std::size_t>(n / kShare, 1);
  for (const std::size_t i : order_) {
    if (wanted == 0) break;
    const std::size_t k = partner_[i];
    if (merged_[i] != kApart || merged_[k] != kApart) continue;
    const std::size_t older = std::min(i, k), newer = std::max(i, k);
    const bool older_stays = nodes.support[older] >= nodes.support[newer];
    const std::size_t into = older_stays ? older : newer, gone = older_stays ? newer : older;
    absorb_node(nodes, into, gone);
    merged_[into] = kMerged;
    merged_[gone] = kGone;
    --wanted;
  }
  kept_.clear();
  for (std::size_t i = 0; i < n; ++i)
    if (merged_[i] != kGone) kept_.push_back(i);
  keep_nodes(nodes, kept_);
}

}  // namespace phida
