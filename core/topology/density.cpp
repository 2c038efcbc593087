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

double height_of(double mass, double squares, double dimension) {
  return portable_log(mass) - 0.5 * dimension * portable_log(squares / mass + kSmallest);
}

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// Number of nodes that are always sorted.
constexpr std::size_t kFewAround = 32;

// Rows of a node beyond the first.
double further_rows(double weight) { return std::max(weight - 1.0, 0.0); }

// By the median theorem, the squared distance to the middle of an edge is half of the sum of those to its ends less a
// quarter of the edge's.
double to_middle(double one, double other, double quarter) {
  return std::max(0.5 * (one + other) - quarter, 0.0);
}

// Keeps the rows within a limit, in order. Returns their number.
std::size_t keep_up_to(double limit, std::span<NearRow> rows) {
  std::size_t kept = 0;
  for (const NearRow row : rows) {
    rows[kept] = row;
    kept += row.square <= limit;
  }
  return kept;
}

}  // namespace

double Density::height_at(const DensityEdge& edge) const {
  return height_of(edge.mass, edge.squares, dimensions.local);
}

// The C library's logarithm is fast, and more exact than the bound needs.
float Density::bound_at(const DensityEdge& edge) const {
  const double height =
      std::log(edge.mass) - 0.5 * dimensions.local * std::log(edge.squares / edge.mass + kSmallest);
  if (!std::isfinite(height)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(height + 2e-6 * (1.0 + std::abs(height)));
}

NodeSet::NodeSet(const DensityInput& input, const NodeDistances& distances,
                 std::vector<std::int32_t> nodes, std::size_t width)
    : input_(input),
      distances_(distances),
      nodes_(std::move(nodes)),
      position_(distances.size(), -1),
      width_(std::min(width, nodes_.size() - 1)),
      around_(2 * width_ + 1),
      pending_(width_ + 1),
      far_(width_ + 1),
      far_row_(width_ + 1),
      square_to_far_(padded(width_)),
      square_to_first_(distances.size(), -1.0),
      place_of_first_(distances.size(), static_cast<std::uint16_t>(width_)),
      on_both_(width_ + 1) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    position_[nodes_[i]] = static_cast<std::int32_t>(i);
    total_ += input.weight[nodes_[i]];
  }
  find_neighbours();
}

// Takes as many neighbours as the lists of all nodes contain of the set.
void NodeSet::find_neighbours() {
  near_.resize(nodes_.size() * width_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    NearRow* const out = near_.data() + i * width_;
    std::size_t found = 0;
    for (const NearRow& other : distances_.nearest(nodes_[i])) {
      if (found == width_) break;
      out[found] = other;
      found += position_[other.row] >= 0;
    }
    n_near_.push_back(found);
  }
}

// Squares of a node to all of the set.
std::span<const double> NodeSet::squares_from(std::size_t i) {
  const std::size_t n = nodes_.size();
  line_.resize(padded(n));
  if (distances_.kept()) {
    distances_.squares(nodes_[i], nodes_.data(), n, line_.data());
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
    n_near_[i] = width_;
    const std::span<NearRow> out(near_.data() + i * width_, width_);
    order_.choose(squares_from(i), i, out);
    for (NearRow& other : out) other.row = nodes_[other.row];
  }
}

// Finds the edges between each node and the nearest of its list, each once.
void NodeSet::find_edges() {
  if (!n_edges_.empty()) return;
  const std::size_t listed = std::min(kDensityEdges, width_);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::size_t before = edges_.size();
    for (const NearRow& end : near(i, listed)) {
      const auto j = static_cast<std::size_t>(position_[end.row]);
      const NearRow here{end.square, nodes_[i]};
      const bool mutual = !(near(j, listed).back() < here);
      if (j > i || !mutual)
        edges_.push_back({static_cast<std::int32_t>(std::min(i, j)),
                          static_cast<std::int32_t>(std::max(i, j)), end.square});
    }
    n_edges_.push_back(edges_.size() - before);
  }
}

void NodeSet::find_probes() {
  if (!probes_.empty()) return;
  const std::size_t n = nodes_.size();
  for (std::size_t i = 0; i < n; i += probe_step(n)) {
    const std::span<const double> squares = squares_from(i);
    for (std::size_t p = 0; p < n; ++p) probes_.push_back({squares[p], nodes_[p]});
    order_.sort({probes_.data() + probes_.size() - n, n});
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
    const double far = near(i, 2 * h)[2 * h - 1].square, close = near(i, h)[h - 1].square;
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
  std::size_t count = 0;
  for (std::size_t i = 0, probe = 0; i < n; i += step, ++probe) {
    double inside = input_.weight[nodes_[i]];
    for (const NearRow& other : near(i, k)) inside += input_.weight[other.row];
    if (!(half > inside)) continue;
    const double middle = std::sqrt(inside * half);
    double mass = 0.0, at_middle = -1.0, at_half = 0.0;
    bool one_node = false;  // the same node reaches both, and growth cannot be seen
    for (std::size_t p = probe * n; p < (probe + 1) * n && mass < half; ++p) {
      mass += input_.weight[probes_[p].row];
      at_half = probes_[p].square;
      one_node = at_middle < 0.0 && mass >= half;
      if (at_middle < 0.0 && mass >= middle) at_middle = at_half;
    }
    if (one_node || !(at_half > 0.0) || !(at_middle > 0.0)) continue;
    sum += 0.5 * portable_log(at_half / at_middle) / portable_log(half / middle);
    ++count;
  }
  return count == 0 ? 1.0 : std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
}

Density NodeSet::measure(std::size_t k, const Dimensions& dimensions) {
  const std::size_t width = std::min(width_, width_of(k));
  const Scale scale{
      std::min(k, width), width,
      static_cast<double>(std::min(k, width)) * (total_ / static_cast<double>(nodes_.size()))};
  need_neighbours(width);
  find_edges();
  Density out;
  out.dimensions = dimensions;
  out.edges = edges_;
  measure_nodes(scale, out);
  measure_edges(scale, out.edges);
  return out;
}

// A neighbourhood has at least k nodes, and as much mass as k nodes have on average.
void NodeSet::measure_nodes(const Scale& scale, Density& out) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double own = further_rows(input_.weight[nodes_[i]]);
    const NearRow* const others = near_.data() + i * width_;
    double mass = own, squares = own * input_.variance[nodes_[i]], added = 0.0;
    for (std::size_t l = 0; l < scale.width && (l < scale.k || added < scale.goal); ++l) {
      const double weight = input_.weight[others[l].row];
      added += weight;
      mass += weight;
      squares += weight * (others[l].square + input_.variance[others[l].row]);
    }
    out.mass.push_back(mass);
    out.height.push_back(height_of(mass, squares, out.dimensions.local));
  }
}

void NodeSet::measure_edges(const Scale& scale, std::vector<DensityEdge>& edges) {
  DensityEdge* edge = edges.data();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (n_edges_[i] == 0) continue;
    list_first_end(i, scale.width);
    for (std::size_t e = 0; e < n_edges_[i]; ++e, ++edge) {
      const std::size_t j =
          static_cast<std::size_t>(edge->a) + static_cast<std::size_t>(edge->b) - i;
      // The limit is an estimate, which may be too low.
      if (!measure_edge(i, j, scale, true, *edge)) measure_edge(i, j, scale, false, *edge);
    }
    forget_first_end(i, scale.width);
  }
}

void NodeSet::list_first_end(std::size_t i, std::size_t width) {
  std::uint16_t place = 0;
  for (const NearRow& other : near(i, width)) {
    square_to_first_[other.row] = other.square;
    place_of_first_[other.row] = place++;
  }
}

void NodeSet::forget_first_end(std::size_t i, std::size_t width) {
  for (const NearRow& other : near(i, width)) {
    square_to_first_[other.row] = -1.0;
    place_of_first_[other.row] = static_cast<std::uint16_t>(width_);
  }
}

// The density at the middle of an edge: over the nearest nodes of both lists, where the two ends count only with
// their further rows. Returns false if a limit left out needed nodes.
bool NodeSet::measure_edge(std::size_t i, std::size_t j, const Scale& scale, bool limited,
                           DensityEdge& edge) {
  const std::int32_t a = nodes_[i], b = nodes_[j];
  const double quarter = 0.25 * edge.square;
  const double own_a = further_rows(input_.weight[a]), own_b = further_rows(input_.weight[b]);
  edge.mass = own_a + own_b;
  edge.squares = own_a * (quarter + input_.variance[a]) + own_b * (quarter + input_.variance[b]);
  if (has_enough(scale, 0, edge.mass)) return true;
  const std::span<const NearRow> around(around_.data(),
                                        collect(i, j, scale, limited, quarter, edge.mass));
  std::size_t count = 0;
  for (const std::int32_t l : order_.of(around)) {
    if (has_enough(scale, count, edge.mass)) break;
    const NearRow& other = around[static_cast<std::size_t>(l)];
    const double weight = input_.weight[other.row];
    edge.mass += weight;
    edge.squares += weight * (other.square + input_.variance[other.row]);
    ++count;
  }
  return !limited || has_enough(scale, count, edge.mass);
}

// Collects the nodes of both lists in `around_`, and returns their number. If `limited`, omits most of those that are
// too far.
std::size_t NodeSet::collect(std::size_t i, std::size_t j, const Scale& scale, bool limited,
                             double quarter, double own) {
  const std::int32_t a = nodes_[i], b = nodes_[j];
  const std::span<const NearRow> of_a = near(i, scale.width), of_b = near(j, scale.width);
  // A node on one list only is at least as far from the other end as that list reaches.
  const double reach_a = of_a.back().square, reach_b = of_b.back().square;
  std::fill_n(on_both_.begin(), scale.width, std::uint8_t{0});
  NearRow* const around = around_.data();
  Pending* const pending = pending_.data();
  std::uint8_t* const on_both = on_both_.data();
  std::size_t n = 0, n_pending = 0;
  for (const NearRow& other : of_b) {
    if (other.row == a) continue;
    const double square = square_to_first_[other.row];
    const bool both = square >= 0.0;
    const double at = to_middle(both ? square : reach_a, other.square, quarter);
    on_both[place_of_first_[other.row]] = 1;
    around[n] = {at, other.row};
    n += both;
    pending[n_pending] = {at, other.square, other.row};
    n_pending += !both;
  }
  // The nodes on both lists suffice up to the farthest needed one.
  double limit = kNoLimit;
  if (limited) {
    double mass = own, farthest = 0.0;
    std::size_t count = 0;
    for (; count < n && !has_enough(scale, count, mass); ++count) {
      mass += input_.weight[around[count].row];
      farthest = std::max(farthest, around[count].square);
    }
    if (has_enough(scale, count, mass)) {
      limit = farthest;
      n = keep_up_to(limit, {around, n});
    }
  }
  std::size_t n_far = 0;
  const auto measure_far = [&](std::int32_t other_end) {
    distances_.squares(other_end, far_row_.data(), n_far, square_to_far_.data());
    for (std::size_t f = 0; f < n_far; ++f) {
      around[n] = {to_middle(far_[f], square_to_far_[f], quarter), far_row_[f]};
      n += around[n].square <= limit;
    }
  };
  for (; n_far < n_pending && pending[n_far].bound <= limit; ++n_far) {
    far_[n_far] = pending[n_far].square;
    far_row_[n_far] = pending[n_far].row;
  }
  measure_far(a);
  n_far = 0;
  for (std::size_t place = 0; place < scale.width; ++place) {
    const NearRow& other = of_a[place];
    if (to_middle(other.square, reach_b, quarter) > limit) break;
    far_[n_far] = other.square;
    far_row_[n_far] = other.row;
    n_far += static_cast<std::size_t>(!on_both[place]) & static_cast<std::size_t>(other.row != b);
  }
  measure_far(b);
  const std::size_t likely = scale.k + scale.k / 4 + 4;
  if (limited && n > 2 * likely && n > kFewAround) {
    line_.clear();
    for (std::size_t l = 0; l < n; ++l) line_.push_back(around[l].square);
    n = keep_up_to(order_.limit_for(line_, likely, likely + likely / 4), {around, n});
  }
  return n;
}

}  // namespace phida
