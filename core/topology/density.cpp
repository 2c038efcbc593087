#include "topology/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/elementary.hpp"

namespace phida {
namespace {

// Added to a mean squared distance, so that nodes in one place have a density.
constexpr double kSmallest = 1e-300;

// About so many nodes give the coarse dimension.
constexpr std::size_t kProbes = 32;

std::size_t probe_step(std::size_t n) { return std::max<std::size_t>(1, n / kProbes); }

double height_of(double mass, double squares, double dimension) {
  return portable_log(mass) - 0.5 * dimension * portable_log(squares / mass + kSmallest);
}

// Rows of a node beyond the first.
double further_rows(double weight) { return std::max(weight - 1.0, 0.0); }

}  // namespace

NodeSet::NodeSet(const DensityInput& input, const NodeDistances& distances,
                 std::vector<std::int32_t> nodes, std::size_t width)
    : input_(input),
      distances_(distances),
      nodes_(std::move(nodes)),
      position_(distances.size(), -1),
      width_(std::min(width, nodes_.size() - 1)),
      square_to_a_(distances.size()),
      listed_by_a_(distances.size(), 0),
      listed_at_(distances.size(), 0) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    position_[nodes_[i]] = static_cast<std::int32_t>(i);
    total_ += input.weight[nodes_[i]];
  }
  find_neighbours(distances);
}

// From the lists of all nodes; a node whose list has too few of the set is searched for anew.
void NodeSet::find_neighbours(const NodeDistances& distances) {
  near_.resize(nodes_.size() * width_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NearRow* const out = near_.data() + i * width_;
    std::size_t found = 0;
    for (const NearRow& other : distances.nearest(nodes_[i])) {
      if (found == width_) break;
      if (position_[other.row] >= 0) out[found++] = other;
    }
    if (found == width_) continue;
    around_.clear();
    for (const std::int32_t other : nodes_)
      if (other != nodes_[i]) around_.push_back({distances.square(nodes_[i], other), other});
    const auto end = around_.begin() + static_cast<std::ptrdiff_t>(width_);
    if (end != around_.end()) std::nth_element(around_.begin(), end, around_.end());
    std::sort(around_.begin(), end);
    std::copy(around_.begin(), end, out);
  }
}

void NodeSet::find_probes() {
  if (!probes_.empty()) return;
  const std::size_t n = nodes_.size();
  for (std::size_t i = 0; i < n; i += probe_step(n)) {
    const auto begin = static_cast<std::ptrdiff_t>(probes_.size());
    for (const std::int32_t other : nodes_)
      probes_.push_back({other == nodes_[i] ? 0.0 : distances_.square(nodes_[i], other), other});
    std::sort(probes_.begin() + begin, probes_.end());
  }
}

Dimensions NodeSet::dimensions(std::size_t k) {
  return {local_dimension(k), inverse_coarse_dimension(k)};
}

// From the growth of distances between h and 2h neighbours, 2h about k. The median over the nodes is not moved by a few
// nodes at gaps; (r_h / r_2h)^m has the median 1/2, exactly.
double NodeSet::local_dimension(std::size_t k) const {
  const double dims = static_cast<double>(input_.place.cols());
  const std::size_t h = std::max<std::size_t>(k / 2, 1);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double far = near(i, 2 * h)[2 * h - 1].square, close = near(i, h)[h - 1].square;
    if (close > 0.0) ratios.push_back(far / close);
  }
  if (ratios.empty()) return 1.0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  const double growth = 0.5 * portable_log(*middle);
  return growth > 0.0 ? std::clamp(portable_log(2.0) / growth, 1.0, dims) : dims;
}

// How distances grow with mass, from the geometric mean of the k nearest and half of the mass to half of the mass; on
// average over the probes.
double NodeSet::inverse_coarse_dimension(std::size_t k) {
  const std::size_t n = nodes_.size(), step = probe_step(n);
  find_probes();
  const double half = 0.5 * total_;
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0, probe = 0; i < n; i += step, ++probe) {
    double inside = input_.weight[nodes_[i]];
    for (const NearRow& other : near(i, k)) inside += input_.weight[other.row];
    if (!(half > inside)) continue;
    const double middle = std::sqrt(inside * half);
    double mass = 0.0, at_middle = -1.0, at_half = 0.0;
    for (std::size_t p = probe * n; p < (probe + 1) * n && mass < half; ++p) {
      mass += input_.weight[probes_[p].row];
      at_half = probes_[p].square;
      if (at_middle < 0.0 && mass >= middle) at_middle = at_half;
    }
    if (!(at_half > 0.0) || !(at_middle > 0.0)) continue;
    sum += 0.5 * portable_log(at_half / at_middle) / portable_log(half / middle);
    ++count;
  }
  return count == 0 ? 1.0 : std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
}

// How many of the nearest nodes make a neighbourhood: at least so many, and as much mass as k nodes have on average; `mass`
// is there already.
std::size_t NodeSet::enough(std::span<const NearRow> others, std::size_t least, std::size_t k,
                            double mass) const {
  const double goal = static_cast<double>(k) * (total_ / static_cast<double>(nodes_.size()));
  std::size_t count = 0;
  while (count < others.size() && (count < least || mass < goal))
    mass += input_.weight[others[count++].row];
  return count;
}

// The same of `around_`, in any order. Sorts as many of the nearest as are likely to be enough, and all if they are not.
std::size_t NodeSet::sort_enough(std::size_t least, std::size_t k, double mass) {
  const std::size_t likely = std::min(around_.size(), k + k / 2 + 2);
  const auto end = around_.begin() + static_cast<std::ptrdiff_t>(likely);
  if (end != around_.end()) std::nth_element(around_.begin(), end, around_.end());
  std::sort(around_.begin(), end);
  const std::size_t count = enough({around_.data(), likely}, least, k, mass);
  if (count < likely || end == around_.end()) return count;
  std::sort(end, around_.end());
  return enough(around_, least, k, mass);
}

void NodeSet::add_nearest(std::span<const NearRow> others, std::size_t count,
                          Around& around) const {
  for (const NearRow& other : others.first(count)) {
    around.mass += input_.weight[other.row];
    around.squares += input_.weight[other.row] * (other.square + input_.variance[other.row]);
  }
}

Density NodeSet::measure(std::size_t k, const Dimensions& dimensions) {
  const std::size_t width = std::min(width_, width_of(k)), n_edges = std::min(kDensityEdges, width);
  k = std::min(k, width);
  Density out;
  out.dimensions = dimensions;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double own = further_rows(input_.weight[nodes_[i]]);
    Around around{own, own * input_.variance[nodes_[i]]};
    add_nearest(near(i, width), enough(near(i, width), k, k, 0.0), around);
    out.mass.push_back(around.mass);
    out.height.push_back(height_of(around.mass, around.squares, dimensions.local));
  }
  std::fill(listed_by_a_.begin(), listed_by_a_.end(), std::size_t{0});
  const auto lists = [&](std::size_t i, std::int32_t node) {
    for (const NearRow& other : near(i, n_edges))
      if (other.row == node) return true;
    return false;
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (const NearRow& other : near(i, width)) {
      listed_by_a_[other.row] = i + 1;
      square_to_a_[other.row] = other.square;
    }
    for (const NearRow& end : near(i, n_edges)) {
      const auto j = static_cast<std::size_t>(position_[end.row]);
      if (j > i || !lists(j, nodes_[i])) measure_edge(i, end, k, width, out);
    }
  }
  return out;
}

// The density at the middle of an edge: over the nearest nodes of both lists, without the two ends, which count with
// their further rows only. By the median theorem, the squared distance to the middle is half of the sum of those to the
// ends less a quarter of the edge's.
void NodeSet::measure_edge(std::size_t i, const NearRow& end, std::size_t k, std::size_t width,
                           Density& out) {
  const std::int32_t a = nodes_[i], b = end.row;
  const auto j = static_cast<std::size_t>(position_[b]);
  const double quarter = 0.25 * end.square;
  const double edge_a = near(i, width)[width - 1].square, edge_b = near(j, width)[width - 1].square;
  const auto to_middle = [&](double one, double other) {
    return std::max(0.5 * (one + other) - quarter, 0.0);
  };
  // Nodes on both lists first. What is on one list only is at least as far from the other end as that list reaches.
  around_.clear();
  pending_.clear();
  ++edge_;
  for (const NearRow& other : near(j, width)) {
    if (other.row == a) continue;
    listed_at_[other.row] = edge_;
    if (listed_by_a_[other.row] == i + 1)
      around_.push_back({to_middle(square_to_a_[other.row], other.square), other.row});
    else
      pending_.push_back({to_middle(edge_a, other.square), other.row});
  }
  for (const NearRow& other : near(i, width))
    if (other.row != b && listed_at_[other.row] != edge_)
      pending_.push_back({to_middle(other.square, edge_b), other.row});
  const double own_a = further_rows(input_.weight[a]), own_b = further_rows(input_.weight[b]);
  std::size_t count = sort_enough(k - 1, k, own_a + own_b);
  double limit = std::numeric_limits<double>::infinity();
  if (count < around_.size()) limit = count == 0 ? -1.0 : around_[count - 1].square;
  const std::size_t before = around_.size();
  for (const NearRow& other : pending_)
    if (other.square <= limit)
      around_.push_back(
          {to_middle(distances_.square(a, other.row), distances_.square(b, other.row)), other.row});
  if (around_.size() > before) count = sort_enough(k - 1, k, own_a + own_b);
  Around around{own_a + own_b,
                own_a * (quarter + input_.variance[a]) + own_b * (quarter + input_.variance[b])};
  add_nearest(around_, count, around);
  out.edges.push_back({static_cast<std::int32_t>(std::min(i, j)),
                       static_cast<std::int32_t>(std::max(i, j)), end.square,
                       height_of(around.mass, around.squares, out.dimensions.local), around.mass});
}

}  // namespace phida
