#include "topology/density.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"

namespace phida {
namespace {

// Added to a mean squared distance, so that nodes in one place have a density.
constexpr double kSmallest = 1e-300;

// About so many nodes give the coarse dimension.
constexpr std::size_t kProbes = 32;

double height_of(double mass, double squares, double dimension) {
  return portable_log(mass) - 0.5 * dimension * portable_log(squares / mass + kSmallest);
}

// Rows of a node beyond the first.
double further_rows(double weight) { return std::max(weight - 1.0, 0.0); }

}  // namespace

Density DensityEstimator::measure(std::span<const std::int32_t> members, std::size_t k) {
  const std::size_t n = members.size();
  for (std::size_t i = 0; i < n; ++i) position_[members[i]] = static_cast<std::int32_t>(i);
  find_neighbours(members, std::min(n - 1, width_of(k)));
  Density out;
  out.k = std::min(k, width_);
  out.dimension = local_dimension(n, out.k);
  out.inverse_dimension = inverse_dimension(members, out.k);
  measure_nodes(members, out);
  measure_edges(members, out);
  for (const std::int32_t node : members) position_[node] = -1;
  return out;
}

// From the lists of all nodes; a node whose list has too few of the set is searched for anew.
void DensityEstimator::find_neighbours(std::span<const std::int32_t> members, std::size_t width) {
  width_ = width;
  near_.resize(members.size() * width);
  for (std::size_t i = 0; i < members.size(); ++i) {
    NearRow* const out = near_.data() + i * width;
    std::size_t found = 0;
    for (const NearRow& other : distances_.nearest(members[i])) {
      if (found == width) break;
      if (position_[other.row] >= 0) out[found++] = other;
    }
    if (found == width) continue;
    around_.clear();
    for (const std::int32_t other : members)
      if (other != members[i]) around_.push_back({distances_.square(members[i], other), other});
    std::partial_sort_copy(around_.begin(), around_.end(), out, out + width);
  }
}

// From the growth of distances between half of k and k neighbours: the median over the nodes, which a few nodes at gaps
// do not move.
double DensityEstimator::local_dimension(std::size_t n, std::size_t k) {
  const double dims = static_cast<double>(input_.place.cols());
  const std::size_t far = std::min(std::max<std::size_t>(k, 2), width_),
                    half = std::max<std::size_t>(far / 2, 1);
  if (far == half) return 1.0;
  ratios_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    const double outer = near(i)[far - 1].square, inner = near(i)[half - 1].square;
    if (outer > 0.0 && inner > 0.0) ratios_.push_back(outer / inner);
  }
  if (ratios_.empty()) return 1.0;
  const auto middle = ratios_.begin() + static_cast<std::ptrdiff_t>(ratios_.size() / 2);
  std::nth_element(ratios_.begin(), middle, ratios_.end());
  const double growth = 0.5 * portable_log(*middle);
  const double m = growth > 0.0
                       ? portable_log(static_cast<double>(far) / static_cast<double>(half)) / growth
                       : dims;
  return std::clamp(m, 1.0, dims);
}

// From the k nearest to half of the mass: how distances grow with mass, on average over the probes.
double DensityEstimator::inverse_dimension(std::span<const std::int32_t> members, std::size_t k) {
  const std::size_t n = members.size();
  if (2 * n <= 5 * k) return 1.0;
  double total = 0.0;
  for (const std::int32_t node : members) total += input_.weight[node];
  double sum = 0.0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; i += std::max<std::size_t>(1, n / kProbes)) {
    double inside = input_.weight[members[i]];
    for (const NearRow& other : near(i).first(k)) inside += input_.weight[other.row];
    const double radius = near(i)[k - 1].square;
    if (!(radius > 0.0) || !(0.5 * total > inside)) continue;
    around_.clear();
    for (const std::int32_t other : members)
      around_.push_back({other == members[i] ? 0.0 : distances_.square(members[i], other), other});
    std::sort(around_.begin(), around_.end());
    double mass = 0.0, far = 0.0;
    for (const NearRow& other : around_) {
      mass += input_.weight[other.row];
      far = other.square;
      if (mass >= 0.5 * total) break;
    }
    if (!(far > 0.0)) continue;
    sum += 0.5 * portable_log(far / radius) / portable_log(0.5 * total / inside);
    ++count;
  }
  return count == 0 ? 1.0 : std::clamp(sum / static_cast<double>(count), 0.0, 1.0);
}

void DensityEstimator::measure_nodes(std::span<const std::int32_t> members, Density& out) const {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double own = further_rows(input_.weight[members[i]]);
    double mass = own, squares = own * input_.variance[members[i]];
    for (const NearRow& other : near(i).first(out.k)) {
      mass += input_.weight[other.row];
      squares += input_.weight[other.row] * (other.square + input_.variance[other.row]);
    }
    out.mass.push_back(mass);
    out.height.push_back(height_of(mass, squares, out.dimension));
  }
}

// At the middle of an edge, both ends count with their further rows only. An edge that both ends list is measured once.
void DensityEstimator::measure_edges(std::span<const std::int32_t> members, Density& out) {
  const std::size_t n_edges = std::min(kDensityEdges, width_);
  const auto lists = [&](std::size_t i, std::int32_t node) {
    return std::any_of(near(i).begin(), near(i).begin() + static_cast<std::ptrdiff_t>(n_edges),
                       [&](const NearRow& other) { return other.row == node; });
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (const NearRow& end : near(i).first(n_edges)) {
      const std::int32_t a = members[i], b = end.row;
      const auto j = static_cast<std::size_t>(position_[b]);
      if (j < i && lists(j, a)) continue;
      const double quarter = 0.25 * end.square;
      around_.clear();
      const auto stamp = static_cast<std::int32_t>(out.edges.size());
      for (const std::size_t from : {i, j})
        for (const NearRow& other : near(from)) {
          if (other.row == a || other.row == b || seen_[other.row] == stamp) continue;
          seen_[other.row] = stamp;
          const double opposite = distances_.square(from == i ? b : a, other.row);
          around_.push_back({std::max(0.5 * (other.square + opposite) - quarter, 0.0), other.row});
        }
      const std::size_t k = std::min(out.k, around_.size());
      std::partial_sort(around_.begin(), around_.begin() + static_cast<std::ptrdiff_t>(k),
                        around_.end());
      const double own_a = further_rows(input_.weight[a]), own_b = further_rows(input_.weight[b]);
      double mass = own_a + own_b;
      double squares =
          own_a * (quarter + input_.variance[a]) + own_b * (quarter + input_.variance[b]);
      for (std::size_t l = 0; l < k; ++l) {
        const NearRow& other = around_[l];
        mass += input_.weight[other.row];
        squares += input_.weight[other.row] * (other.square + input_.variance[other.row]);
      }
      out.edges.push_back({static_cast<std::int32_t>(std::min(i, j)),
                           static_cast<std::int32_t>(std::max(i, j)), end.square,
                           height_of(mass, squares, out.dimension), mass});
    }
  }
  std::fill(seen_.begin(), seen_.end(), -1);
}

}  // namespace phida
