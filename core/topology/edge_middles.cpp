#include "topology/edge_middles.hpp"

#include <algorithm>
#include <limits>

#include "simd/kernels.hpp"

namespace phida {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

// Weight of an edge in the share of limits.
constexpr double kShareRate = 0.1;

// Halves are larger than the cache. Those of the edge that comes after so many others are fetched.
constexpr std::size_t kFetchedAhead = 4;

}  // namespace

EdgeMiddles::EdgeMiddles(const RowMatrix& place, const NodeDistances& distances,
                         std::span<const std::int32_t> nodes, const NearLists& lists,
                         std::span<const DensityEdge> edges, LargeDoubles& memory)
    : place_(place),
      distances_(distances),
      nodes_(nodes),
      lists_(lists),
      edges_(edges),
      halves_(memory),
      blocks_(distances.kept() ? 0 : lists.stride * place.cols()),
      middle_(2 * lists.stride),
      found_(2 * lists.stride),
      around_(2 * lists.stride) {
  const std::size_t size = 2 * std::min(edges.size(), kMostEdges) * lists.stride;
  if (halves_.size() < size) halves_.resize(size);
}

void EdgeMiddles::measure(std::size_t first, std::size_t last, std::size_t width) {
  const bool all = last - first == edges_.size();
  if (all && known_ >= width) return;
  if (!all || of_owner_.empty()) sort_halves(first, last);
  const std::size_t from = all ? known_ / kLanes * kLanes : 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::span<const Half> halves(of_owner_.data() + first_half_[i],
                                       first_half_[i + 1] - first_half_[i]);
    if (halves.empty()) continue;
    if (distances_.kept())
      look_up(i, halves, from, width);
    else
      measure_to_list(i, halves, from, width);
  }
  if (all) known_ = width;
}

void EdgeMiddles::sort_halves(std::size_t first, std::size_t last) {
  first_half_.assign(nodes_.size() + 1, 0);
  for (std::size_t e = first; e < last; ++e) {
    ++first_half_[edges_[e].a];
    ++first_half_[edges_[e].b];
  }
  std::uint32_t end = 0;
  for (std::uint32_t& at : first_half_) at = end += at;
  of_owner_.resize(2 * (last - first));
  for (std::size_t e = last; e-- > first;)
    for (const std::uint32_t of : {0u, 1u}) {
      const Half half{static_cast<std::uint32_t>(e), of};
      of_owner_[--first_half_[owner(half)]] = half;
    }
}

// Looks up the other halves of a node's edges, whose point it is.
void EdgeMiddles::look_up(std::size_t point, std::span<const Half> halves, std::size_t from,
                          std::size_t to) {
  const double* const squares = distances_.squares(nodes_[point]);
  if (point + 1 < nodes_.size()) {  // the next line is far in memory
    const double* const next = distances_.squares(nodes_[point + 1]);
    for (std::size_t i = 0; i < distances_.size(); i += kLanes) __builtin_prefetch(next + i);
  }
  for (const Half& own : halves) {
    const Half other{own.edge, 1 - own.of};
    const std::int32_t* const rows = lists_.rows(owner(other));
    double* const out = half(other.edge, other.of);
    for (std::size_t t = from; t < to; ++t) out[t] = squares[rows[t]];
    leave_out_point(other, from, to);
  }
}

void EdgeMiddles::measure_to_list(std::size_t owner, std::span<const Half> halves, std::size_t from,
                                  std::size_t to) {
  const std::size_t dims = place_.cols();
  kernels().blocks_of_rows(place_[0], place_.stride(), lists_.rows(owner) + from, to - from, dims,
                           blocks_.data());
  for (const Half& own : halves) {
    kernels().squared_distances(place_[nodes_[point(own)]], nullptr, blocks_.data(),
                                padded(to - from) / kLanes, dims, half(own.edge, own.of) + from);
    leave_out_point(own, from, to);
  }
}

// The point itself is not a candidate.
void EdgeMiddles::leave_out_point(const Half& of, std::size_t from, std::size_t to) {
  const std::size_t list = owner(of);
  const std::int32_t node = nodes_[point(of)];
  const double square = edges_[of.edge].square;
  for (std::size_t t = from; t < to && lists_.squares(list)[t] <= square; ++t)
    if (lists_.rows(list)[t] == node) half(of.edge, of.of)[t] = kInfinity;
}

// A node on the list of b has a square to b below that of the list's last node, or the same and an index that is not
// higher. So the nodes of the list of a with a smaller square are left out; `within` leaves out the others.
void EdgeMiddles::set_edge(std::size_t e, std::size_t width) {
  edge_ = e;
  width_ = width;
  const auto a = static_cast<std::size_t>(edges_[e].a), b = static_cast<std::size_t>(edges_[e].b);
  const std::size_t next = std::min(e + kFetchedAhead, edges_.size() - 1);
  for (std::size_t t = 0; t < width; t += kLanes) {
    __builtin_prefetch(half(next, 0) + t);
    __builtin_prefetch(half(next, 1) + t);
  }
  const std::size_t stride = padded(width);
  const double quarter = 0.25 * edges_[e].square;
  double* const of_a = middle_.data() + stride;
  kernels().squares_to_middle(half(e, 0), lists_.squares(b), stride, quarter, -kInfinity,
                              middle_.data());
  kernels().squares_to_middle(lists_.squares(a), half(e, 1), stride, quarter,
                              lists_.squares(b)[width - 1], of_a);
  for (std::size_t t = width; t < stride; ++t) middle_[t] = of_a[t] = kInfinity;
}

// Around the middle, the first nodes reach about as far as around the ends, less a quarter of the edge's square.
std::span<const NearRow> EdgeMiddles::nearest(std::size_t likely) {
  const DensityEdge& edge = edges_[edge_];
  const std::size_t least = likely + likely / 8 + 1, most = least + least / 4 + 2;
  if (most >= 2 * width_) return all();
  const double quarter = 0.25 * edge.square;
  const double reach = 0.5 * (lists_.squares(static_cast<std::size_t>(edge.a))[likely - 1] +
                              lists_.squares(static_cast<std::size_t>(edge.b))[likely - 1]);
  const double expected = std::max(reach - quarter, quarter);
  const double limit =
      limit_for({middle_.data(), 2 * padded(width_)}, least, most, share_ * expected);
  if (!(limit > 0.0 && limit < kLargest)) return all();
  share_ += kShareRate * (std::clamp(limit / expected, 0.25, 4.0) - share_);
  return within(limit);
}

std::span<const NearRow> EdgeMiddles::all() { return within(kLargest); }

std::span<const NearRow> EdgeMiddles::within(double limit) {
  const auto a = static_cast<std::size_t>(edges_[edge_].a);
  const auto b = static_cast<std::size_t>(edges_[edge_].b);
  const std::size_t stride = padded(width_);
  const std::size_t found =
      kernels().positions_up_to(middle_.data(), 2 * stride, limit, found_.data());
  const NearRow last = lists_.at(b, width_ - 1);
  std::size_t n = 0, f = 0;
  for (; f < found && found_[f] < static_cast<std::int32_t>(stride); ++f)
    around_[n++] = {middle_[found_[f]], lists_.rows(b)[found_[f]]};
  for (; f < found; ++f) {
    const auto place = static_cast<std::size_t>(found_[f]) - stride;
    around_[n] = {middle_[found_[f]], lists_.rows(a)[place]};
    n += last < NearRow{half(edge_, 1)[place], around_[n].row};
  }
  return order_.sorted({around_.data(), n});
}

}  // namespace phida
