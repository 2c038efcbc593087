#include "nodes/nearest_node.hpp"

#include <cmath>
#include <limits>

#include "numeric/squares.hpp"
#include "simd/kernels.hpp"

namespace phida {
namespace {

// From so many features on, floats in rows are read faster than doubles in blocks.
constexpr std::size_t kSieved = 96;

}  // namespace

NearestNode::NearestNode(std::size_t dims)
    : wide_(dims >= kSieved),
      blocks_(dims),
      rounded_(dims),
      float_slack_(1.0 + static_cast<double>(dims / 16 + 8) * 0x1p-21),
      slack_(1.0 + static_cast<double>(dims + kLanes) * 0x1p-50),
      scaled_(padded(dims), 0.0),
      rounded_query_(rounded_.stride(), 0.0f) {}

// The row in the metric, if there is one.
const double* NearestNode::scaled(const double* row) {
  if (scaling_.empty()) return row;
  for (std::size_t j = 0; j < scaled_.size(); ++j) scaled_[j] = row[j] * scaling_[j];
  return scaled_.data();
}

void NearestNode::assign(const RowMatrix& rows, const double* scaling) {
  scaling_.clear();
  if (scaling != nullptr) scaling_.assign(scaling, scaling + rows.stride());
  if (!wide_) {
    blocks_.resize(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) blocks_.set(i, rows[i]);
    return;
  }
  rounded_ = RoundedRows(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) rounded_.append(scaled(rows[i]));
}

void NearestNode::append(const double* row) {
  wide_ ? rounded_.append(scaled(row)) : blocks_.append(row);
}

void NearestNode::set(std::size_t node, const double* row) {
  wide_ ? rounded_.set(node, scaled(row)) : blocks_.set(node, row);
}

Nearest NearestNode::find(const double* query, const RowMatrix& rows) {
  return wide_ ? find_by_sieve(query, rows) : find_by_blocks(query, rows);
}

Nearest NearestNode::find_by_blocks(const double* query, const RowMatrix& rows) {
  const std::size_t n = blocks_.blocks() * kLanes;
  squares_.resize(n);
  candidates_.resize(n);
  const std::size_t found =
      kernels().nearest(query, scaling(), blocks_.data(), blocks_.blocks(), rows.cols(), 1, false,
                        squares_.data(), candidates_.data());
  Nearest nearest{0, std::numeric_limits<double>::infinity()};
  for (std::size_t c = 0; c < found; ++c)
    if (squares_[candidates_[c]] < nearest.square)
      nearest = {candidates_[c], squares_[candidates_[c]]};
  return nearest;
}

// Distances between floats are off by at most the rounding of both rows. The smallest is too, so that the nearest row
// exceeds it by at most twice that.
Nearest NearestNode::find_by_sieve(const double* query, const RowMatrix& rows) {
  const std::size_t n = rows.rows(), dims = rows.cols();
  squares_.resize(n);
  candidates_.resize(n);
  const double* const at = scaled(query);
  double off = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    rounded_query_[j] = static_cast<float>(at[j]);
    off += (at[j] - rounded_query_[j]) * (at[j] - rounded_query_[j]);
  }
  // Scaling before the difference is taken rounds once more than scaling it afterwards.
  const double scaling_error = 0x1p-51 * (norm(at, dims) + rounded_.largest_norm());
  const double reach =
      2.0 * (rounded_.error() + std::sqrt(off) * (1.0 + 1e-6) + scaling_error + kFloatUnderflow);
  std::size_t found =
      kernels().sieve_two_floats(rounded_query_.data(), rounded_.data(), n, rounded_.stride(),
                                 {float_slack_, reach, false}, squares_.data(), candidates_.data());
  // Floats do not tell rows apart whose features are large against their spread, or beyond the largest float.
  if (found > kFewCandidates || found == 0 || !std::isfinite(reach))
    found =
        kernels().sieve_two(query, scaling(), rows[0], n, rows.stride(),
                            {slack_, 2.0 * kUnderflow, false}, squares_.data(), candidates_.data());
  Nearest nearest{0, std::numeric_limits<double>::infinity()};
  for (std::size_t c = 0; c < found; ++c) {
    const double square = square_in_order(query, rows[candidates_[c]], scaling(), dims);
    if (square < nearest.square) nearest = {candidates_[c], square};
  }
  return nearest;
}

}  // namespace phida
