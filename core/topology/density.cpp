#include "topology/density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/elementary.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// Added to a mean squared distance, so that nodes at one place have a finite density.
constexpr double kSmallest = 1e-300;

// Approximate number of nodes used for the coarse dimension.
constexpr std::size_t kProbes = 32;

std::size_t probe_step(std::size_t n) { return std::max<std::size_t>(1, n / kProbes); }

// Rows of a node beyond the first.
double further_rows(double weight) { return std::max(weight - 1.0, 0.0); }

}  // namespace

NodeSet::NodeSet(const DensityInput& input, const NodeDistances& distances,
                 std::vector<std::int32_t> nodes, std::size_t width, LargeDoubles& memory)
    : input_(input),
      distances_(distances),
      memory_(memory),
      nodes_(std::move(nodes)),
      position_(distances.size(), -1),
      width_(std::min(width, nodes_.size() - 1)),
      lists_(nodes_.size(), width_),
      n_near_(nodes_.size()),
      found_(width_) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    position_[nodes_[i]] = static_cast<std::int32_t>(i);
    total_ += input.weight[nodes_[i]];
  }
  find_neighbours();
}

// Takes as many neighbours as the lists of all nodes contain of the set.
void NodeSet::find_neighbours() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::size_t found = 0;
    for (const NearRow& other : distances_.nearest(nodes_[i])) {
      if (found == width_) break;
      found_[found] = other;
      found += position_[other.row] >= 0;
    }
    list_neighbours(i, {found_.data(), found});
  }
}

void NodeSet::list_neighbours(std::size_t i, std::span<const NearRow> nearest) {
  for (std::size_t t = 0; t < nearest.size(); ++t) {
    lists_.square[i * lists_.stride + t] = nearest[t].square;
    lists_.row[i * lists_.stride + t] = nearest[t].row;
  }
  n_near_[i] = nearest.size();
}

// Squares of a node to all of the set.
std::span<const double> NodeSet::squares_from(std::size_t i) {
  const std::size_t n = nodes_.size();
  line_.resize(padded(n));
  if (distances_.kept()) {
    const double* const squares = distances_.squares(nodes_[i]);
    for (std::size_t p = 0; p < n; ++p) line_[p] = squares[nodes_[p]];
  } else {
    if (blocks_.rows() == 0) {
      blocks_ = BlockedRows(input_.place.cols());
      blocks_.assign(input_.place, nodes_);
    }
    kernels().squared_distances(input_.place[nodes_[i]], nullptr, blocks_.data(), blocks_.blocks(),
                                blocks_.dims(), line_.data());
  }
  return {line_.data(), n};
}

// Searches the set for neighbours of nodes that have too few. Larger scales need more, but not every set reaches
// them.
void NodeSet::need_neighbours(std::size_t width) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (n_near_[i] >= width) continue;
    order_.choose(squares_from(i), i, found_);
    for (NearRow& other : found_) other.row = nodes_[other.row];
    list_neighbours(i, found_);
  }
}

// Finds the edges between each node and the nearest of its list, each once.
void NodeSet::find_edges() {
  if (!edges_.empty()) return;
  const std::size_t listed = std::min(kDensityEdges, width_);
  edges_.reserve(nodes_.size() * listed);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (std::size_t t = 0; t < listed; ++t) {
      const double square = lists_.squares(i)[t];
      const auto j = static_cast<std::size_t>(position_[lists_.rows(i)[t]]);
      const bool mutual = !(lists_.at(j, listed - 1) < NearRow{square, nodes_[i]});
      if (j > i || !mutual)
        edges_.push_back({static_cast<std::int32_t>(std::min(i, j)),
                          static_cast<std::int32_t>(std::max(i, j)), square});
    }
  }
  middles_.emplace(input_.place, distances_, nodes_, lists_, edges_, memory_);
}

void NodeSet::find_probes() {
  if (!reached_.empty()) return;
  const std::size_t n = nodes_.size();
  std::vector<NearRow> around(n);
  for (std::size_t i = 0; i < n; i += probe_step(n)) {
    const std::span<const double> squares = squares_from(i);
    for (std::size_t p = 0; p < n; ++p) around[p] = {squares[p], nodes_[p]};
    order_.sort(around);
    double weight = 0.0;
    for (std::size_t p = 0; p < n && weight < 0.5 * total_; ++p) {
      weight += input_.weight[around[p].row];
      reached_.push_back({weight, around[p].square});
    }
    end_of_probe_.push_back(reached_.size());
  }
}

Dimensions NodeSet::dimensions(std::size_t k) {
  need_neighbours(std::min(width_, width_of(k)));
  return {local_dimension(k), inverse_coarse_dimension(k)};
}

// From the growth of distances between h and 2h neighbours, where 2h is about k. A few nodes at gaps do not change
// the median over the nodes; (r_h / r_2h)^m has the median 1/2, exactly.
double NodeSet::local_dimension(std::size_t k) const {
  const double dims = static_cast<double>(input_.place.cols());
  const std::size_t h = std::max<std::size_t>(k / 2, 1);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double far = lists_.squares(i)[2 * h - 1], close = lists_.squares(i)[h - 1];
    if (close > 0.0) ratios.push_back(far / close);
  }
  if (ratios.empty()) return 1.0;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  const double growth = 0.5 * portable_log(*middle);
  return growth > 0.0 ? std::clamp(portable_log(2.0) / growth, 1.0, dims) : dims;
}

// Growth of distances with mass, from the geometric mean of the k nearest and half of the mass to half of the mass,
// averaged over the probes.
double NodeSet::inverse_coarse_dimension(std::size_t k) {
  const std::size_t n = nodes_.size(), step = probe_step(n);
  find_probes();
  const double half = 0.5 * total_;
  double sum = 0.0;
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0, probe = 0; i < n; i += step, ++probe) {
    const std::span<const Reached> reached(reached_.data() + first, end_of_probe_[probe] - first);
    first = end_of_probe_[probe];
    double inside = input_.weight[nodes_[i]];
    for (std::size_t t = 0; t < k; ++t) inside += input_.weight[lists_.rows(i)[t]];
    if (!(half > inside)) continue;
    const double middle = std::sqrt(inside * half);
    const auto at =
        std::lower_bound(reached.begin(), reached.end(), middle,
                         [](const Reached& r, double weight) { return r.weight < weight; });
    // If the same node reaches both, growth cannot be seen.
    if (at == reached.end() || at->weight >= half) continue;
    const double at_middle = at->square, at_half = reached.back().square;
    if (!(at_half > 0.0) || !(at_middle > 0.0)) continue;
    sum += 0.5 * portable_log(at_half / at_middle) / portable_log(half / middle);
    ++count;
  }
  return count == 0 ? 1.0 : std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
}

Density NodeSet::measure(std::size_t k, const Dimensions& dimensions) {
  const std::size_t width = std::min(width_, width_of(k));
  const Scale scale{
      std::min(k, width), width,
      static_cast<double>(std::min(k, width)) * (total_ / static_cast<double>(nodes_.size())),
      dimensions.local};
  need_neighbours(width);
  find_edges();
  Density out;
  out.dimensions = dimensions;
  measure_nodes(scale, out);
  measure_edges(scale, out);
  return out;
}

// A neighbourhood has at least k nodes, and as much mass as k nodes have on average.
void NodeSet::measure_nodes(const Scale& scale, Density& out) {
  const std::size_t n = nodes_.size();
  out.mass.assign(padded(n), 1.0);
  out.height.resize(padded(n));
  squares_.assign(padded(n), 1.0);
  n_used_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double own = further_rows(input_.weight[nodes_[i]]);
    double mass = own, squares = own * input_.variance[nodes_[i]], added = 0.0;
    std::size_t l = 0;
    for (; l < scale.width && (l < scale.k || added < scale.goal); ++l) {
      const NearRow other = lists_.at(i, l);
      const double weight = input_.weight[other.row];
      added += weight;
      mass += weight;
      squares += weight * (other.square + input_.variance[other.row]);
    }
    out.mass[i] = mass;
    squares_[i] = squares;
    n_used_[i] = l;
  }
  kernels().log_densities(out.mass.data(), squares_.data(), padded(n), 0.5 * scale.dimension,
                          kSmallest, out.height.data());
}

void NodeSet::measure_edges(const Scale& scale, Density& out) {
  const std::size_t n = edges_.size();
  mass_.assign(padded(n), 1.0);
  squares_.assign(padded(n), 1.0);
  for (std::size_t first = 0; first < n; first += EdgeMiddles::kMostEdges) {
    const std::size_t last = std::min(n, first + EdgeMiddles::kMostEdges);
    middles_->measure(first, last, scale.width);
    for (std::size_t e = first; e < last; ++e) measure_edge(e, scale);
  }
  AlignedDoubles height(padded(n));
  kernels().log_densities(mass_.data(), squares_.data(), padded(n), 0.5 * scale.dimension,
                          kSmallest, height.data());
  out.edges = edges_;
  for (std::size_t e = 0; e < n; ++e) {
    out.edges[e].mass = mass_[e];
    out.edges[e].height = height[e];
  }
}

// The density at the middle of an edge: over the nearest nodes of both lists, where the two ends count only with
// their further rows.
void NodeSet::measure_edge(std::size_t e, const Scale& scale) {
  const DensityEdge& edge = edges_[e];
  const std::int32_t a = nodes_[edge.a], b = nodes_[edge.b];
  const double quarter = 0.25 * edge.square;
  const double own_a = further_rows(input_.weight[a]), own_b = further_rows(input_.weight[b]);
  const Around ends{own_a + own_b, own_a * (quarter + input_.variance[a]) +
                                       own_b * (quarter + input_.variance[b])};
  Around around = ends;
  if (!has_enough(scale, 0, ends.mass)) {
    middles_->set_edge(e, scale.width);
    // The ends tell how many nodes are likely to be enough.
    const std::size_t likely = std::max(n_used_[edge.a], n_used_[edge.b]);
    if (!add_nearest(middles_->nearest(likely), scale, around)) {
      around = ends;
      add_nearest(middles_->all(), scale, around);
    }
  }
  mass_[e] = around.mass;
  squares_[e] = around.squares;
}

// Adds nodes until there are enough. Returns whether there are.
bool NodeSet::add_nearest(std::span<const NearRow> nearest, const Scale& scale,
                          Around& around) const {
  double mass = around.mass, squares = around.squares;
  std::size_t count = 0;
  for (; count < nearest.size() && !has_enough(scale, count, mass); ++count) {
    const NearRow& other = nearest[count];
    const double weight = input_.weight[other.row];
    mass += weight;
    squares += weight * (other.square + input_.variance[other.row]);
  }
  around = {mass, squares};
  return has_enough(scale, count, mass);
}

}  // namespace phida
