#include "mapping/density_map.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "numeric/disjoint_sets.hpp"
#include "numeric/elementary.hpp"
#include "numeric/radix_pass.hpp"
#include "numeric/squares.hpp"

namespace phida {
namespace {

// Numbers of neighbours, fine to coarse. Each scale divides only parts that the finer ones left whole: across a gap,
// a density over many neighbours mixes both sides.
constexpr std::size_t kScales[] = {1, 2, 4, 8, 16, 32};

constexpr double kForever = std::numeric_limits<double>::infinity();

// Two trees of nodes become one. Nodes are indices of the complete set.
struct Joining {
  std::int32_t a = 0, b = 0;  // one node of each
  double height = 0.0;        // prominence over chance, at least that of earlier joinings
  double prominence = 0.0;
  double chance = 0.0;
};

// The prominence expected by chance (spec section 13).
class Chance {
 public:
  Chance(std::size_t k, const Dimensions& dimensions, std::size_t n_nodes)
      : k_(static_cast<double>(k)), uneven_(kUneven * dimensions.local / k_) {
    const double inverse = dimensions.inverse_coarse;
    noise_ = std::sqrt(2.0 * portable_log(std::max(static_cast<double>(n_nodes), 4.0)));
    factor_ = inverse > 0.0 ? kFactor * portable_pow(inverse, kPower) : 0.0;
    least_ = kLeast * std::min(dimensions.local, kMostLocal) / std::sqrt(k_);
  }

  // For a peak and a saddle whose heights were measured over these masses.
  double between(double peak, double saddle) const {
    const double uneven = uneven_ * std::max(1.0 - k_ / peak, 0.0);
    return factor_ * std::max(noise_ * (error(peak) + error(saddle)) + uneven, least_);
  }

 private:
  // Standard error of the logarithm of a count.
  static double error(double mass) { return 1.0 / std::sqrt(std::max(mass - 0.5, 0.5)); }

  static constexpr double kFactor = 0.92, kPower = 0.55, kUneven = 0.15;
  static constexpr double kLeast = 0.35, kMostLocal = 4.0;
  double k_, uneven_, noise_, factor_, least_;
};

// The indices of edges by descending height, ties by their ends.
class DescendingEdges {
 public:
  std::span<const std::uint32_t> of(std::span<const DensityEdge> edges);

 private:
  // The height as a float, in an integer that is smaller for greater heights. Equal keys are sorted by exact heights.
  static std::uint32_t key_of(double height) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(height));
    return bits >> 31 ? bits : ~bits & 0x7fffffffu;
  }

  struct Keyed {
    std::uint32_t key = 0, edge = 0;
  };
  std::vector<Keyed> keyed_, moved_;
  std::vector<std::uint32_t> order_;
};

std::span<const std::uint32_t> DescendingEdges::of(std::span<const DensityEdge> edges) {
  const std::size_t n = edges.size();
  keyed_.resize(n);
  moved_.resize(n);
  for (std::size_t e = 0; e < n; ++e)
    keyed_[e] = {key_of(edges[e].height), static_cast<std::uint32_t>(e)};
  const auto digit = [](int shift) {
    return [shift](const Keyed& keyed) { return keyed.key >> shift & kDigitMask; };
  };
  radix_pass<Keyed>(keyed_, moved_, digit(0));
  radix_pass<Keyed>(moved_, keyed_, digit(kDigitBits));
  radix_pass<Keyed>(keyed_, moved_, digit(2 * kDigitBits));
  const auto before = [&](const Keyed& x, const Keyed& y) {
    const DensityEdge &one = edges[x.edge], &other = edges[y.edge];
    if (one.height != other.height) return one.height > other.height;
    return one.a != other.a ? one.a < other.a : one.b < other.b;
  };
  for (auto first = moved_.begin(); first != moved_.end();) {
    const auto last = std::find_if(
        first, moved_.end(), [key = first->key](const Keyed& keyed) { return keyed.key != key; });
    if (last - first > 1) std::sort(first, last, before);
    first = last;
  }
  order_.resize(n);
  for (std::size_t e = 0; e < n; ++e) order_[e] = moved_[e].edge;
  return order_;
}

// A tree of nodes from the persistence at one scale.
struct Tree {
  std::vector<std::int32_t> nodes;  // ascending
  // its highest node, and the meeting of that peak with a higher one
  DensityPeak peak;
  std::int32_t named = -1;                    // the node whose peak represents it in the map, or -1
  std::vector<Joining> joinings;              // joinings of its nodes, in order
  std::vector<DensityPeak> peaks;             // the lower peaks
  std::optional<Dimensions> dimensions = {};  // from the last scale that measured them
};

// A set of nodes divided at one scale.
struct Division {
  std::vector<Tree> trees;       // by their lowest node
  std::vector<Joining> between;  // joinings between trees, by height
};

// Sets of fewer nodes keep the dimensions measured for the set that they were divided from.
constexpr std::size_t kFewNodes = 100;

// Number of equal rows that make a place.
constexpr double kPlaceRows = 100.0;

// Number of nodes up to which a set is not divided at a scale.
constexpr std::size_t too_few(std::size_t k) { return std::max<std::size_t>(2 * k, 3); }

class Divider {
 public:
  explicit Divider(const DensityInput& input) : input_(input), distances_(input.place, kWidth) {}

  // Divides all nodes at all scales.
  DensityMap run() {
    out_.base.resize(distances_.size());
    Tree rest;
    rest.peak = {.death = -kForever, .chance = 1.0};
    for (std::size_t i = 0; i < distances_.size(); ++i) {
      const auto node = static_cast<std::int32_t>(i);
      if (is_place(i)) {
        out_.base[i] = node;
        out_.peaks.push_back({.node = node, .death = -kForever, .chance = 1.0});
        continue;
      }
      if (rest.nodes.empty())
        rest.peak.node = node;
      else
        rest.joinings.push_back({rest.nodes[0], node});
      rest.nodes.push_back(node);
    }
    if (!rest.nodes.empty()) divide(std::move(rest), 0);
    name_partners();
    arrange_merges();
    return std::move(out_);
  }

 private:
  bool is_place(std::size_t node) const;
  double divide(Tree tree, std::size_t scale);
  Division divide_at(NodeSet& set, std::size_t k, const Dimensions& dimensions);
  void name(Tree& tree);
  void name_partners();
  void arrange_merges();

  static constexpr std::size_t kWidth = width_of(kScales[std::size(kScales) - 1]);
  const DensityInput& input_;
  NodeDistances distances_;
  LargeDoubles memory_;
  DescendingEdges descending_;
  std::vector<Joining> joinings_;  // joinings of all nodes, lower ones first
  DensityMap out_;
};

// Whether a node is a place: many equal rows. It is a cluster by itself, unless it is one of a lattice of equal
// distances.
bool Divider::is_place(std::size_t node) const {
  if (input_.variance[node] != 0.0 || input_.weight[node] < kPlaceRows) return false;
  if (distances_.size() <= 2) return true;
  const std::span<const NearRow> nearest = distances_.nearest(node);
  return nearest[1].square > nearest[0].square * (1.0 + 1e-9);
}

// Divides a tree from a scale on. Returns the height of its last joining.
double Divider::divide(Tree tree, std::size_t scale) {
  const std::size_t n = tree.nodes.size();
  std::optional<NodeSet> set;
  if (scale < std::size(kScales) && n > too_few(kScales[scale]))
    set.emplace(input_, distances_, tree.nodes, kWidth, memory_);
  for (; scale < std::size(kScales) && n > too_few(kScales[scale]); ++scale) {
    const std::size_t k = kScales[scale];
    const Dimensions dimensions =
        n >= kFewNodes || !tree.dimensions ? set->dimensions(k) : *tree.dimensions;
    Division division = divide_at(*set, k, dimensions);
    if (division.trees.size() == 1) {
      division.trees[0].named = tree.named;
      tree = std::move(division.trees[0]);
      continue;
    }
    set.reset();
    // per node: height of its tree's last joining
    std::vector<double> height(distances_.size(), 0.0);
    for (Tree& part : division.trees) {
      // The part with the node that represents the whole keeps its name.
      if (std::binary_search(part.nodes.begin(), part.nodes.end(), tree.named))
        part.named = tree.named;
      name(part);
      const std::vector<std::int32_t> nodes = part.nodes;
      const double last = divide(std::move(part), scale + 1);
      for (const std::int32_t node : nodes) height[node] = last;
    }
    // A joining is higher than those that it joins.
    double highest = 0.0;
    for (Joining& joining : division.between) {
      highest = std::max({highest, joining.height, height[joining.a], height[joining.b]});
      joining.height = highest;
      joinings_.push_back(joining);
    }
    for (const std::int32_t node : tree.nodes) highest = std::max(highest, height[node]);
    return highest;
  }
  name(tree);
  for (const std::int32_t node : tree.nodes) out_.base[node] = tree.named;
  for (const DensityPeak& peak : tree.peaks)
    if (peak.node != tree.named) out_.peaks.push_back(peak);
  joinings_.insert(joinings_.end(), tree.joinings.begin(), tree.joinings.end());
  return tree.joinings.empty() ? 0.0 : tree.joinings.back().height;
}

// Adds the peak of a tree to the map, unless one represents it there.
void Divider::name(Tree& tree) {
  if (tree.named >= 0) return;
  tree.named = tree.peak.node;
  out_.peaks.push_back(tree.peak);
}

// Renames partners that are not in the map themselves, because a later scale has another peak there, to that of their
// cluster.
void Divider::name_partners() {
  std::vector<std::uint8_t> named(distances_.size(), 0);
  for (const DensityPeak& peak : out_.peaks) named[peak.node] = 1;
  for (DensityPeak& peak : out_.peaks)
    if (peak.partner >= 0 && !named[peak.partner]) peak.partner = out_.base[peak.partner];
}

// H0 persistence: edges by descending height; where two trees meet, the one of the lower peak (ties: of the higher
// index) joins unless it is more prominent than chance.
Division Divider::divide_at(NodeSet& set, std::size_t k, const Dimensions& dimensions) {
  const std::vector<std::int32_t>& nodes = set.nodes();
  const Density density = set.measure(k, dimensions);
  const Chance chance(k, dimensions, distances_.size());
  const std::size_t n = nodes.size();
  DisjointSets trees;  // whose roots are their peaks
  trees.reset(n);
  std::vector<double> last(n, 0.0);  // per root: height of the last joining
  // per root: its first meeting with a higher peak that stayed apart
  std::vector<DensityPeak> first(n);
  for (std::size_t i = 0; i < n; ++i)
    first[i] = {nodes[i],
                density.height[i],
                -kForever,
                -1,
                chance.between(density.mass[i], density.mass[i]),
                static_cast<std::int32_t>(k)};
  std::vector<Joining> joined, apart;
  std::vector<DensityPeak> lower_peaks;
  Division out;
  for (const std::uint32_t e : descending_.of(density.edges)) {
    const DensityEdge& edge = density.edges[e];
    std::int32_t high = trees.root(edge.a), low = trees.root(edge.b);
    if (high == low) continue;
    if (density.height[low] > density.height[high] ||
        (density.height[low] == density.height[high] && low < high))
      std::swap(high, low);
    const double prominence = density.height[low] - edge.height;
    const double by_chance = chance.between(density.mass[low], edge.mass);
    const DensityPeak peak{nodes[low],  density.height[low], edge.height,
                           nodes[high], by_chance,           static_cast<std::int32_t>(k)};
    if (prominence < by_chance) {
      last[high] = std::max({last[high], last[low], prominence / by_chance});
      joined.push_back({nodes[edge.a], nodes[edge.b], last[high], prominence, by_chance});
      if (prominence > 0.0) lower_peaks.push_back(peak);
      trees.hang(low, high);
    } else {
      apart.push_back({edge.a, edge.b, by_chance > 0.0 ? prominence / by_chance : kForever,
                       prominence, by_chance});
      if (first[low].partner < 0) first[low] = peak;
    }
  }
  std::vector<std::int32_t> tree_of(n, -1);                // per root
  std::vector<std::int32_t> place(distances_.size(), -1);  // per node
  for (std::size_t i = 0; i < n; ++i) {
    const std::int32_t root = trees.root(static_cast<std::int32_t>(i));
    if (tree_of[root] < 0) {
      tree_of[root] = static_cast<std::int32_t>(out.trees.size());
      Tree& tree = out.trees.emplace_back();
      tree.peak = first[root];
      tree.dimensions = dimensions;
    }
    place[nodes[i]] = tree_of[root];
    out.trees[tree_of[root]].nodes.push_back(nodes[i]);
  }
  for (const Joining& joining : joined) out.trees[place[joining.a]].joinings.push_back(joining);
  for (const DensityPeak& peak : lower_peaks) out.trees[place[peak.node]].peaks.push_back(peak);
  std::stable_sort(apart.begin(), apart.end(),
                   [](const Joining& x, const Joining& y) { return x.height < y.height; });
  DisjointSets above = trees;
  for (Joining joining : apart) {
    const std::int32_t a = above.root(joining.a), b = above.root(joining.b);
    if (a == b) continue;
    above.hang(std::max(a, b), std::min(a, b));
    joining.a = nodes[joining.a];
    joining.b = nodes[joining.b];
    out.between.push_back(joining);
  }
  return out;
}

// Orders joinings by height; each names its trees by their lowest node.
void Divider::arrange_merges() {
  std::stable_sort(joinings_.begin(), joinings_.end(),
                   [](const Joining& x, const Joining& y) { return x.height < y.height; });
  NodeMap& map = out_.map;
  map.n_leaves = distances_.size();
  DisjointSets trees;
  trees.reset(map.n_leaves);
  for (const Joining& joining : joinings_) {
    const std::int32_t a = trees.root(joining.a), b = trees.root(joining.b);
    trees.hang(std::max(a, b), std::min(a, b));
    map.merges.push_back({std::min(a, b), std::max(a, b), joining.height});
    out_.prominence.push_back(joining.prominence);
    out_.chance.push_back(joining.chance);
    out_.link.push_back({joining.a, joining.b});
    map.level += joining.height < 1.0;
  }
  name_leaves(map);
}

}  // namespace

DensityMap map_density(const DensityInput& input) { return Divider(input).run(); }

void name_leaves(NodeMap& map) {
  map.leaf.resize(map.n_leaves);
  std::iota(map.leaf.begin(), map.leaf.end(), 0);
  map.complete = map.merges.size() + 1 >= map.n_leaves;
  map.leaves = Leaf::kNode;
  map.height = Height::kProminence;
  map.scoring = Scoring::kNearest;
}

std::vector<Merge> all_merges(const NodeMap& map, const RowMatrix& place) {
  struct Gap {
    double square;
    std::int32_t a, b;
  };
  const std::size_t n = map.n_leaves;
  DisjointSets trees;
  trees.reset(n);
  std::vector<Merge> merges = map.merges;
  for (const Merge& merge : merges) trees.hang(merge.from, merge.into);
  // The shortest links between trees, by Prim's algorithm: the nearest outside node adds its entire tree.
  std::vector<Gap> links, nearest(n, {kForever, -1, -1});
  std::vector<std::uint8_t> reached(n, 0);
  const auto reach = [&](std::int32_t root) {
    for (std::size_t i = 0; i < n; ++i) {
      if (trees.root(static_cast<std::int32_t>(i)) != root) continue;
      reached[i] = 1;
      for (std::size_t other = 0; other < n; ++other) {
        if (trees.root(static_cast<std::int32_t>(other)) == root) continue;
        const double square = square_in_order(place[i], place[other], nullptr, place.cols());
        if (square < nearest[other].square || nearest[other].a < 0)
          nearest[other] = {square, static_cast<std::int32_t>(i), static_cast<std::int32_t>(other)};
      }
    }
  };
  reach(trees.root(0));
  for (std::size_t left = n - 1 - merges.size(); left > 0; --left) {
    const Gap* best = nullptr;
    for (std::size_t i = 0; i < n; ++i)
      if (!reached[i] && (best == nullptr || nearest[i].square < best->square)) best = &nearest[i];
    links.push_back(*best);
    reach(trees.root(best->b));
  }
  std::stable_sort(links.begin(), links.end(),
                   [](const Gap& x, const Gap& y) { return x.square < y.square; });
  for (const Gap& link : links) {
    const std::int32_t a = trees.root(link.a), b = trees.root(link.b);
    merges.push_back({std::min(a, b), std::max(a, b), kForever});
    trees.hang(std::max(a, b), std::min(a, b));
  }
  return merges;
}

}  // namespace phida
