#include "nodes/nearest_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "numeric/squares.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// From this number of features on, several candidates are first compared by sums in eight lanes: a sum in order takes
// eight times as long.
constexpr std::size_t kFeaturesForLanes = 48;

// From this number of features on, reading the rows once for many queries saves more time than updates of their squares
// take.
constexpr std::size_t kFeaturesTogether = 7;

}  // namespace

NearestNode::NearestNode(std::size_t dims)
    : grid_(dims), queue_(dims), slack_(1.0 + static_cast<double>(dims + kLanes) * 0x1p-50) {}

void NearestNode::assign(const RowMatrix& rows, const double* scaling) {
  scaling_.clear();
  if (scaling != nullptr) scaling_.assign(scaling, scaling + rows.stride());
  lay_grid(rows);
}

void NearestNode::lay_grid(const RowMatrix& rows) {
  batch_.size = 0;
  candidates_.resize(rows.rows());
  std::iota(candidates_.begin(), candidates_.end(), 0);
  grid_.assign(rows, candidates_, scaling());
}

void NearestNode::append(const double* row) {
  grid_.append(row);
  if (is_measured()) grid_.update_last(batch_);
}

void NearestNode::set(std::size_t node, const double* row) {
  grid_.set(node, row);
  if (is_measured()) grid_.update_last(batch_);
}

// Adding 0 makes -0 the same place as 0, to the bit.
void NearestNode::queue(const double* queries, std::size_t n) {
  const std::size_t dims = queue_.cols();
  queue_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < dims; ++j) queue_[i][j] = queries[i * dims + j] + 0.0;
  head_ = measured_from_ = 0;
  batch_.size = 0;
}

Nearest NearestNode::find_head(const RowMatrix& rows) {
  if (grid_.is_worn()) lay_grid(rows);
  if (!is_measured()) {
    const bool together = rows.cols() >= kFeaturesTogether && head_ + 1 < queue_.rows();
    if (!together || !grid_.is_laid()) return find(head(), rows);
    grid_.measure(queue_, head_, batch_);
    measured_from_ = head_;
  }
  return nearest_of(grid_.sieve(batch_, head_ - measured_from_, search_), head(), rows);
}

Nearest NearestNode::find(const double* query, const RowMatrix& rows) {
  if (grid_.is_worn()) lay_grid(rows);
  return nearest_of(grid_.sieve(query, search_), query, rows);
}

GridSquares NearestNode::squares_of_head() {
  return is_measured() ? grid_.squares(batch_, head_ - measured_from_) : grid_.squares(search_);
}

// `candidates` is empty if the grid failed.
Nearest NearestNode::nearest_of(std::span<const std::int32_t> candidates, const double* query,
                                const RowMatrix& rows) {
  if (candidates.empty()) {
    grid_.note_failure();
    candidates = sieve_doubles(query, rows);
  } else if (candidates.size() > 1 && rows.cols() >= kFeaturesForLanes) {
    candidates = sieve_again(candidates, query, rows);
  }
  Nearest nearest{0, std::numeric_limits<double>::infinity()};
  for (const std::int32_t node : candidates) {
    const double square = square_in_order(query, rows[node], scaling(), rows.cols());
    if (square < nearest.square || (square == nearest.square && node < nearest.node))
      nearest = {node, square};
  }
  return nearest;
}

// The candidates whose sums in another order are near the smallest.
std::span<const std::int32_t> NearestNode::sieve_again(std::span<const std::int32_t> candidates,
                                                       const double* query, const RowMatrix& rows) {
  squares_.resize(candidates.size());
  candidates_.resize(std::max<std::size_t>(candidates_.size(), candidates.size()));
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    kernels().sieve_two(query, scaling(), rows[candidates[c]], 1, rows.stride(), {},
                        squares_.data() + c, candidates_.data());
    least = std::min(least, squares_[c]);
  }
  const double distance = std::sqrt(least) + 2.0 * kUnderflow;
  const double limit = distance * distance * slack_;
  std::size_t kept = 0;
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (squares_[c] <= limit) candidates_[kept++] = candidates[c];
  return {candidates_.data(), kept};
}

// Used if the grid does not distinguish the rows, or the query is outside.
std::span<const std::int32_t> NearestNode::sieve_doubles(const double* query,
                                                         const RowMatrix& rows) {
  squares_.resize(rows.rows());
  candidates_.resize(rows.rows());
  const std::size_t found =
      kernels().sieve_two(query, scaling(), rows[0], rows.rows(), rows.stride(),
                          {slack_, 2.0 * kUnderflow, false}, squares_.data(), candidates_.data());
  return {candidates_.data(), found};
}

}  // namespace phida
