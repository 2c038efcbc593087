#include "nodes/matching.hpp"

#include <cmath>
#include <limits>

#include "metric/penalised_distance.hpp"

namespace phida {
namespace {

// Takes rows in ascending order, so that a strict comparison leaves ties to the lower index.
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

  // Distances that overflow are not offered as smaller than infinity; two different nodes come out all the same.
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

}  // namespace

Match Matcher::nearest_two(const double* query, const double* scaling, double gamma,
                           const RowMatrix& rows, const WeightSource& source) {
  const std::size_t n_blocks = blocks.blocks(), dims = rows.cols();
  squares_.resize(n_blocks * kLanes);
  candidates_.resize(n_blocks * kLanes);
  std::size_t found = kernels().nearest(query, scaling, blocks.data(), n_blocks, dims, 2,
                                        gamma > 0.0, squares_.data(), candidates_.data());
  // Where nearly all squares overflow, the infinite lanes behind the last row are among the candidates.
  while (found > 0 && candidates_[found - 1] >= static_cast<std::int32_t>(rows.rows())) --found;
  TwoNearest nearest;
  if (gamma == 0.0) {
    for (std::size_t c = 0; c < found; ++c)
      nearest.offer(candidates_[c], std::sqrt(squares_[candidates_[c]]));
    return nearest.result();
  }
  global_variance(source.moments, dims, variance_);
  // The penalty only adds, so whatever is to win must be within the bound that the Euclidean candidates give.
  TwoNearest first_guess;
  guesses_.clear();
  for (std::size_t c = 0; c < found; ++c) {
    guesses_.push_back(penalised_to(candidates_[c], query, scaling, gamma, rows, source));
    first_guess.offer(candidates_[c], guesses_.back());
  }
  const double limit = first_guess.bound() * first_guess.bound() * (1.0 + 1e-12);
  std::size_t next = 0;  // of the guesses, which ascend as the rows do
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    const bool guessed = next < found && candidates_[next] == row;
    if (guessed)
      nearest.offer(row, guesses_[next++]);
    else if (squares_[i] <= limit)
      nearest.offer(row, penalised_to(row, query, scaling, gamma, rows, source));
  }
  return nearest.result();
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
