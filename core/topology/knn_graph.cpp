#include "topology/knn_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric/penalised_distance.hpp"
#include "numeric/hazen_quantile.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// Median + 1.5 IQR.
double longest_edge(const Quartiles& q) { return q.median + 1.5 * (q.third - q.first); }

// Quartiles of sorted rows of equal length; the positions are the same for all of them.
class RowQuartiles {
 public:
  explicit RowQuartiles(std::size_t k)
      : first_(hazen_position(k, 0.25)),
        median_(hazen_position(k, 0.5)),
        third_(hazen_position(k, 0.75)) {}

  Quartiles of(const double* ascending) const {
    const auto at = [&](const HazenPosition& p) {
      return interpolate(ascending[p.lower], ascending[p.upper], p.fraction);
    };
    return {at(first_), at(median_), at(third_)};
  }

 private:
  HazenPosition first_, median_, third_;
};

}  // namespace

std::size_t neighbour_count(std::size_t n) {
  if (n < 2) return 0;
  const auto wanted = static_cast<std::size_t>(std::ceil(std::sqrt(std::log(n))));
  return std::max<std::size_t>(1, std::min(wanted, n - 1));
}

void KnnGraphBuilder::build(const RowMatrix& rows, std::span<const std::int32_t> members,
                            const FeatureTransform& transform,
                            const std::optional<WeightSource>& weights,
                            std::span<const std::int64_t> stamps, KnnGraph& graph) {
  const std::size_t n = members.size();
  graph.k = neighbour_count(n);
  graph.candidate.resize(n * graph.k);
  graph.distance.resize(n * graph.k);
  graph.row_threshold.assign(n, 0.0);
  graph.global_threshold = 0.0;
  graph.edges.offset.assign(n + 1, 0);
  graph.edges.neighbour.clear();
  graph.edges.length.clear();
  if (n < 2) return;
  const bool penalise = weights.has_value() && transform.gamma > 0.0;
  if (penalise) weigh(rows, members, *weights);
  if (!stamps.empty() && transform.gamma == 0.0 && lists_.update(rows, members, stamps, graph.k))
    take_lists(members, graph);
  else
    search(rows, members, transform, penalise, graph);
  prune(graph);
}

void KnnGraphBuilder::take_lists(std::span<const std::int32_t> members, KnnGraph& graph) {
  vertex_.resize(static_cast<std::size_t>(members.back()) + 1);
  for (std::size_t p = 0; p < members.size(); ++p)
    vertex_[members[p]] = static_cast<std::int32_t>(p);
  for (std::size_t p = 0; p < members.size(); ++p) {
    const std::span<const Neighbour> list = lists_.of(members[p]);
    for (std::size_t r = 0; r < graph.k; ++r) {
      graph.candidate[p * graph.k + r] = vertex_[list[r].row];
      graph.distance[p * graph.k + r] = list[r].distance;
    }
  }
}

void KnnGraphBuilder::search(const RowMatrix& rows, std::span<const std::int32_t> members,
                             const FeatureTransform& transform, bool penalise, KnnGraph& graph) {
  if (blocks_.dims() != rows.cols()) blocks_ = BlockedRows(rows.cols());
  blocks_.assign(rows, members);
  squares_.resize(blocks_.blocks() * kLanes);
  found_.resize(blocks_.blocks() * kLanes);
  for (std::size_t p = 0; p < members.size(); ++p) {
    nearest_.clear();
    // One more than k, since the row itself is among them, at distance 0.
    const std::size_t found =
        kernels().nearest(rows[members[p]], transform.scaling(), blocks_.data(), blocks_.blocks(),
                          rows.cols(), graph.k + 1, penalise, squares_.data(), found_.data());
    for (std::size_t f = 0; f < found; ++f) {
      const auto q = static_cast<std::size_t>(found_[f]);
      if (q == p) continue;
      if (q >= members.size()) break;  // infinite lanes after the last row, where squares overflow
      offer({penalise ? penalised_between(rows, members, transform, p, q) : std::sqrt(squares_[q]),
             found_[f]},
            graph.k);
    }
    if (penalise) find_penalised(rows, members, transform, p, graph.k);
    fill_up(p, members.size(), graph.k);
    for (std::size_t r = 0; r < graph.k; ++r) {
      graph.candidate[p * graph.k + r] = nearest_[r].row;
      graph.distance[p * graph.k + r] = nearest_[r].distance;
    }
  }
}

// Keeps the k nearest so far in order; vertices come in ascending order, so ties go to the lower index.
void KnnGraphBuilder::offer(Neighbour neighbour, std::size_t k) {
  if (std::isnan(neighbour.distance)) return;
  if (nearest_.size() == k) {
    if (!(neighbour.distance < nearest_.back().distance)) return;
    nearest_.pop_back();
  }
  auto at = nearest_.end();
  while (at != nearest_.begin() && neighbour.distance < (at - 1)->distance) --at;
  nearest_.insert(at, neighbour);
}

// If distances are NaN, the rows of lowest index become neighbours at infinite distance.
void KnnGraphBuilder::fill_up(std::size_t p, std::size_t n, std::size_t k) {
  for (std::size_t q = 0; q < n && nearest_.size() < k; ++q) {
    const auto row = static_cast<std::int32_t>(q);
    const bool known = std::any_of(nearest_.begin(), nearest_.end(),
                                   [&](const Neighbour& other) { return other.row == row; });
    if (q != p && !known) nearest_.push_back({std::numeric_limits<double>::infinity(), row});
  }
}

void KnnGraphBuilder::weigh(const RowMatrix& rows, std::span<const std::int32_t> members,
                            const WeightSource& source) {
  if (weights_.cols() != rows.cols()) weights_ = RowMatrix(rows.cols());
  weights_.resize(members.size());
  global_variance(source.moments, rows.cols(), variance_);
  for (std::size_t p = 0; p < members.size(); ++p)
    kernels().feature_weights(source.m2[members[p]], source.support[members[p]], variance_.data(),
                              weights_[p], rows.stride());
}

double KnnGraphBuilder::penalised_between(const RowMatrix& rows,
                                          std::span<const std::int32_t> members,
                                          const FeatureTransform& transform, std::size_t p,
                                          std::size_t q) const {
  double squares = 0.0;
  const double local =
      kernels().pair_weighted_square(rows[members[p]], rows[members[q]], transform.scaling(),
                                     weights_[p], weights_[q], rows.stride(), &squares);
  return penalised(std::sqrt(squares_[q]), local, squares, rows.cols(), transform.gamma);
}

// The penalised distance is never below the Euclidean one, so only rows within the k-th penalised distance of the
// Euclidean neighbours can replace these.
void KnnGraphBuilder::find_penalised(const RowMatrix& rows, std::span<const std::int32_t> members,
                                     const FeatureTransform& transform, std::size_t p,
                                     std::size_t k) {
  if (nearest_.size() < k) return;
  const double bound = nearest_.back().distance;
  const double limit = bound * bound * (1.0 + 1e-12);
  nearest_.clear();
  for (std::size_t q = 0; q < members.size(); ++q)
    if (q != p && squares_[q] <= limit)
      offer({penalised_between(rows, members, transform, p, q), static_cast<std::int32_t>(q)}, k);
}

void KnnGraphBuilder::prune(KnnGraph& graph) {
  const std::size_t n = graph.size(), k = graph.k;
  graph.global_threshold = longest_edge(all_distances_.of(graph.distance));
  const RowQuartiles quartiles(k);
  retained_.resize(n);  // number of a row's candidates, nearest first, that it retains
  for (std::size_t p = 0; p < n; ++p) {
    const double* const row = graph.distance.data() + p * k;
    graph.row_threshold[p] = longest_edge(quartiles.of(row));
    const double longest = std::min(graph.row_threshold[p], graph.global_threshold);
    std::size_t count = 1;
    for (std::size_t r = 1; r < k; ++r) count += row[r] <= longest;
    retained_[p] = static_cast<std::uint8_t>(count);
  }
  // Rows in ascending order append themselves to their neighbours' lists, which are thus sorted.
  CsrGraph& edges = graph.edges;
  edges.neighbour.resize(n * k);
  edges.length.resize(n * k);
  degree_.assign(n, 0);
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t r = 0; r < retained_[p]; ++r) {
      const auto q = static_cast<std::size_t>(graph.candidate[p * k + r]);
      std::size_t place = k;
      for (std::size_t s = 0; s < retained_[q]; ++s)
        if (graph.candidate[q * k + s] == static_cast<std::int32_t>(p)) place = s;
      if (place == k) continue;
      const std::size_t to = q * k + degree_[q]++;
      edges.neighbour[to] = static_cast<std::int32_t>(p);
      edges.length[to] = graph.distance[q * k + place];
    }
  }
  std::size_t count = 0;
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t e = 0; e < degree_[p]; ++e, ++count) {
      edges.neighbour[count] = edges.neighbour[p * k + e];
      edges.length[count] = edges.length[p * k + e];
    }
    edges.offset[p + 1] = static_cast<std::int32_t>(count);
  }
  edges.neighbour.resize(count);
  edges.length.resize(count);
}

}  // namespace phida
