#include "mapping/carried_map.hpp"

#include <algorithm>
#include <utility>

namespace phida {
namespace {

class Carrier {
 public:
  Carrier(const DensityMap& from, std::span<const std::int32_t> leaf,
          std::span<const double> weight)
      : from_(from),
        node_(from.map.n_leaves, -1),
        lowest_(from.map.n_leaves, -1),
        gone_(lowest_.size()) {
    join_leaves(leaf, weight);
    for (std::size_t m = 0; m < from.map.merges.size(); ++m) carry_merge(m);
    carry_peaks(leaf);
    out_.map.n_leaves = leaf.size();
    name_leaves(out_.map);
  }

  DensityMap result() { return std::move(out_); }

 private:
  void join(std::int32_t a, std::int32_t b, Link link, double height, double prominence,
            double chance, bool made) {
    out_.map.merges.push_back({std::min(a, b), std::max(a, b), height});
    out_.map.level += made;
    out_.prominence.push_back(prominence);
    out_.chance.push_back(chance);
    out_.link.push_back(link);
  }

  // Maps each leaf to its heaviest node.
  void join_leaves(std::span<const std::int32_t> leaf, std::span<const double> weight) {
    for (std::size_t i = 0; i < leaf.size(); ++i) {
      const auto node = static_cast<std::int32_t>(i);
      std::int32_t& heaviest = node_[leaf[i]];
      std::int32_t& lowest = lowest_[leaf[i]];
      if (heaviest >= 0) join(lowest, node, {lowest, node}, 0.0, 0.0, 1.0, true);
      if (heaviest < 0 || weight[i] > weight[heaviest]) heaviest = node;
      if (lowest < 0) lowest = node;
    }
    for (std::size_t l = 0; l < node_.size(); ++l)
      if (node_[l] < 0) gone_[l].push_back(static_cast<std::int32_t>(l));
  }

  // A leaf without nodes is represented by the node with which it would first have been joined.
  void carry_merge(std::size_t m) {
    const auto [into, from, height] = from_.map.merges[m];
    const Link link = from_.link[m];
    const bool made = m < from_.map.level;
    if (lowest_[into] >= 0 && lowest_[from] >= 0) {
      Link now{node_[link.a], node_[link.b]};
      if (now.a < 0 || now.b < 0) now = {lowest_[into], lowest_[from]};
      join(lowest_[into], lowest_[from], now, height, from_.prominence[m], from_.chance[m], made);
      lowest_[into] = std::min(lowest_[into], lowest_[from]);
      return;
    }
    std::vector<std::int32_t>&gone = gone_[into], &other = gone_[from];
    gone.insert(gone.end(), other.begin(), other.end());
    lowest_[into] = std::max(lowest_[into], lowest_[from]);
    if (!made || lowest_[into] < 0) return;
    for (const std::int32_t leaf : gone) node_[leaf] = lowest_[into];
    gone.clear();
  }

  void carry_peaks(std::span<const std::int32_t> leaf) {
    for (const std::int32_t l : leaf) out_.base.push_back(node_[from_.base[l]]);
    for (DensityPeak peak : from_.peaks) {
      peak.node = node_[peak.node];
      if (peak.node < 0) continue;
      if (peak.partner >= 0) peak.partner = node_[peak.partner];
      out_.peaks.push_back(peak);
    }
  }

  const DensityMap& from_;
  std::vector<std::int32_t> node_;    // per leaf: the node that represents it, or -1
  std::vector<std::int32_t> lowest_;  // per tree, at its lowest leaf: its lowest node, or -1
  std::vector<std::vector<std::int32_t>> gone_;  // likewise: leaves without a representative so far
  DensityMap out_;
};

}  // namespace

std::vector<std::int32_t> carried_clusters(const NodeMap& map, std::span<const std::int32_t> leaf) {
  const std::vector<std::int32_t> of_leaf = clusters_at(map.merges, map.level, map.n_leaves);
  std::vector<std::int32_t> number(map.n_leaves, -1), cluster;
  cluster.reserve(leaf.size());
  std::int32_t count = 0;
  for (const std::int32_t l : leaf) {
    std::int32_t& c = number[of_leaf[l]];
    if (c < 0) c = count++;
    cluster.push_back(c);
  }
  return cluster;
}

DensityMap carried_over(const DensityMap& map, std::span<const std::int32_t> leaf,
                        std::span<const double> weight) {
  return Carrier(map, leaf, weight).result();
}

}  // namespace phida
