#include "nodes/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "metric/penalised_distance.hpp"
#include "numeric/squares.hpp"

namespace phida {
namespace {

// From this number of features on, a few hundred nodes exceed the cache, and memory traffic dominates matching.
constexpr std::size_t kWide = 512;

// Gets rows in ascending order, so that a strict comparison leaves ties to the lower index.
class TwoNearest {
 public:
  void offer(std::int32_t row, double distance) {
    if (distance < match_.winner_distance) {
      match_.runner_up = match_.winner;
      match_.runner_up_distance = match_.winner_distance;
      match_.winner = row;
      match_.winner_distance = distance;
    } else if (distance < match_.runner_up_distance) {
      match_.runner_up = row;
      match_.runner_up_distance = distance;
    }
  }
  double bound() const { return match_.runner_up_distance; }

  // Distances that overflow are not below infinity; the result still has two different nodes.
  Match result() const {
    Match match = match_;
    if (match.winner == kUnset) match.winner = 0;
    if (match.runner_up == kUnset) match.runner_up = match.winner == 0 ? 1 : 0;
    return match;
  }

 private:
  static constexpr std::int32_t kUnset = -1;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Match match_{kUnset, kUnset, kInfinity, kInfinity};
};

// The squared distance after subtracting `center` from both rows.
double square_less(const double* a, const double* b, const double* center, std::size_t dims) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    const double difference = (a[j] - center[j]) - (b[j] - center[j]);
    sum += difference * difference;
  }
  return sum;
}

}  // namespace

Matcher::Matcher(std::size_t dims)
    : wide_(dims >= kWide),
      blocks_(dims),
      rounded_(dims),
      slack_(wide_ ? 1.0 + static_cast<double>(dims + kLanes) * 0x1p-50 : 1.0),
      rounded_slack_(1.0 + static_cast<double>(dims / 16 + 8) * 0x1p-21),
      rounded_query_(rounded_.stride(), 0.0f),
      weights_(padded(dims), 0.0) {}

void Matcher::append(const double* row) { wide_ ? rounded_.append(row) : blocks_.append(row); }

void Matcher::set(std::size_t node, const double* row) {
  wide_ ? rounded_.set(node, row) : blocks_.set(node, row);
}

void Matcher::resize(std::size_t nodes) { wide_ ? rounded_.resize(nodes) : blocks_.resize(nodes); }

void Matcher::assign(const RowMatrix& rows, std::span<const std::int32_t> members) {
  wide_ ? rounded_.assign(rows, members) : blocks_.assign(rows, members);
}

Match Matcher::nearest_two(const double* query, const double* scaling, double gamma,
                           const RowMatrix& rows, const WeightSource& source) {
  const std::size_t dims = rows.cols();
  std::size_t found;
  if (wide_) {
    found = sieve(query, scaling, 0.0, gamma > 0.0, rows);
    for (std::size_t c = 0; c < found; ++c)
      squares_[candidates_[c]] = square_in_order(query, rows[candidates_[c]], scaling, dims);
  } else {
    found = search(query, scaling, gamma > 0.0, rows);
  }
  if (gamma == 0.0) return nearest_of_candidates(found);
  TwoNearest nearest;
  global_variance(source.moments, dims, variance_);
  // The penalty only adds, so the two nearest must be within the bound that the Euclidean candidates give.
  TwoNearest first_guess;
  guesses_.clear();
  for (std::size_t c = 0; c < found; ++c) {
    guesses_.push_back(penalised_to(candidates_[c], query, scaling, gamma, rows, source));
    first_guess.offer(candidates_[c], guesses_.back());
  }
  const double limit = first_guess.bound() * first_guess.bound() * (1.0 + 1e-12) * slack_;
  std::size_t next = 0;  // index of the next guess; guesses ascend as the rows do
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    const bool guessed = next < found && candidates_[next] == row;
    if (guessed) {
      nearest.offer(row, guesses_[next++]);
    } else if (squares_[i] <= limit) {
      if (wide_) squares_[i] = square_in_order(query, rows[i], scaling, dims);
      nearest.offer(row, penalised_to(row, query, scaling, gamma, rows, source));
    }
  }
  return nearest.result();
}

Match Matcher::nearest_two_less(const double* query, const double* center, const RowMatrix& rows) {
  const std::size_t dims = rows.cols();
  // The centre is subtracted with rounding, which changes differences by an ulp of the result: at most this.
  const double rounding =
      0x1p-51 * (norm(query, dims) + 2.0 * norm(center, dims) + rounded_.largest_norm());
  const std::size_t found = sieve(query, nullptr, rounding, false, rows);
  for (std::size_t c = 0; c < found; ++c)
    squares_[candidates_[c]] = square_less(query, rows[candidates_[c]], center, dims);
  return nearest_of_candidates(found);
}

Match Matcher::nearest_of_candidates(std::size_t found) const {
  TwoNearest nearest;
  for (std::size_t c = 0; c < found; ++c)
    nearest.offer(candidates_[c], std::sqrt(squares_[candidates_[c]]));
  return nearest.result();
}

std::size_t Matcher::search(const double* query, const double* scaling, bool all_squares,
                            const RowMatrix& rows) {
  const std::size_t n_blocks = blocks_.blocks();
  squares_.resize(n_blocks * kLanes);
  candidates_.resize(n_blocks * kLanes);
  std::size_t found = kernels().nearest(query, scaling, blocks_.data(), n_blocks, rows.cols(), 2,
                                        all_squares, squares_.data(), candidates_.data());
  // If nearly all squares overflow, the infinite lanes after the last row are among the candidates.
  while (found > 0 && candidates_[found - 1] >= static_cast<std::int32_t>(rows.rows())) --found;
  return found;
}

// Reads the rounded rows, of which twice as many fit the cache. Distances between them and the rounded query are off
// by at most the two rounding errors. So is the second smallest, and each of the two nearest exceeds it by at most
// twice that. Distances to the rows themselves are off by `error`.
std::size_t Matcher::sieve(const double* query, const double* scaling, double error,
                           bool all_squares, const RowMatrix& rows) {
  const std::size_t n = rows.rows();
  squares_.resize(n);
  candidates_.resize(n);
  std::size_t found = n;
  bool use_doubles = all_squares || scaling != nullptr;
  if (!use_doubles) {
    const double reach =
        2.0 * (rounded_.error() + round_query(query, rows.cols()) + error + kFloatUnderflow);
    found = kernels().sieve_two_floats(rounded_query_.data(), rounded_.data(), n, rounded_.stride(),
                                       {rounded_slack_, reach, false}, squares_.data(),
                                       candidates_.data());
    // Floats do not distinguish rows whose features are large compared with their spread, or beyond the largest
    // float.
    use_doubles = found > kFewCandidates || !std::isfinite(reach);
  }
  if (use_doubles)
    found = kernels().sieve_two(query, scaling, rows[0], n, rows.stride(),
                                {slack_, 2.0 * (error + kUnderflow), all_squares}, squares_.data(),
                                candidates_.data());
  return found;
}

// Returns an upper bound of the distance between the query and its rounded form.
double Matcher::round_query(const double* query, std::size_t dims) {
  double sum = 0.0;
  for (std::size_t j = 0; j < dims; ++j) {
    rounded_query_[j] = static_cast<float>(query[j]);
    const double difference = query[j] - rounded_query_[j];
    sum += difference * difference;
  }
  return std::sqrt(sum) * (1.0 + 1e-6);
}

double Matcher::penalised_to(std::int32_t row, const double* query, const double* scaling,
                             double gamma, const RowMatrix& rows, const WeightSource& source) {
  const Kernels& k = kernels();
  const double squares = k.feature_weights(source.m2[row], source.support[row], variance_.data(),
                                           weights_.data(), rows.stride());
  const double local = k.weighted_square(query, rows[row], scaling, weights_.data(), rows.stride());
  return penalised(std::sqrt(squares_[row]), local, squares, rows.cols(), gamma);
}

}  // namespace phida
