#include "nodes/matching.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "metric/penalised_distance.hpp"
#include "numeric/squares.hpp"

namespace phida {
namespace {

// From this number of features on, the rows are sieved on a grid.
constexpr std::size_t kSieved = 32;

// From this number of features on, a few hundred nodes exceed the cache, and blocks are not worth their memory.
constexpr std::size_t kWide = 512;

// Ties go to the lower index.
class TwoNearest {
 public:
  void offer(std::int32_t row, double distance) {
    if (distance < match_.winner_distance ||
        (distance == match_.winner_distance && row < match_.winner)) {
      match_.runner_up = match_.winner;
      match_.runner_up_distance = match_.winner_distance;
      match_.winner = row;
      match_.winner_distance = distance;
    } else if (distance < match_.runner_up_distance ||
               (distance == match_.runner_up_distance && row < match_.runner_up)) {
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
    : dims_(dims),
      slack_(1.0 + static_cast<double>(dims + kLanes) * 0x1p-50),
      form_(dims < kSieved ? Form::kBlocks : Form::kNone),
      blocks_(dims),
      grid_(dims),
      weights_(padded(dims), 0.0) {}

bool Matcher::wide() const { return dims_ >= kWide; }

void Matcher::append(const double* row) {
  if (form_ == Form::kBlocks) blocks_.append(row);
  if (form_ == Form::kGrid) grid_.append(row);
}

void Matcher::set(std::size_t node, const double* row) {
  if (form_ == Form::kBlocks) blocks_.set(node, row);
  if (form_ == Form::kGrid) grid_.set(node, row);
}

void Matcher::assign(const RowMatrix& rows) {
  if (form_ == Form::kNone) return;
  candidates_.resize(rows.rows());
  std::iota(candidates_.begin(), candidates_.end(), 0);
  if (form_ == Form::kBlocks) blocks_.assign(rows, candidates_);
  if (form_ == Form::kGrid) grid_.assign(rows, candidates_, nullptr);
}

Matcher::Form Matcher::form_for(const double* scaling, double gamma) const {
  if (dims_ >= kSieved && scaling == nullptr && gamma == 0.0) return Form::kGrid;
  return wide() ? Form::kNone : Form::kBlocks;
}

void Matcher::use(Form form, const RowMatrix& rows) {
  if (form_ == form) return;
  form_ = form;
  assign(rows);
}

Match Matcher::nearest_two(const double* query, const double* scaling, double gamma,
                           const RowMatrix& rows, const WeightSource& source) {
  const Rows found = search(query, scaling, gamma, rows);
  if (gamma == 0.0) {
    TwoNearest nearest;
    for (std::size_t c = 0; c < found.size(); ++c)
      nearest.offer(found[c], std::sqrt(near_squares_[c]));
    return nearest.result();
  }
  TwoNearest nearest;
  global_variance(source.moments, dims_, variance_);
  // The penalty only adds, so the two nearest must be within the bound that the Euclidean candidates give.
  TwoNearest first_guess;
  guesses_.clear();
  for (const std::int32_t row : found) {
    guesses_.push_back(penalised_to(row, query, scaling, gamma, rows, source));
    first_guess.offer(row, guesses_.back());
  }
  const double limit = first_guess.bound() * first_guess.bound() * (1.0 + 1e-12) * slack_;
  std::size_t next = 0;  // index of the next guess; guesses ascend as the rows do
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<std::int32_t>(i);
    const bool guessed = next < found.size() && found[next] == row;
    if (guessed) {
      nearest.offer(row, guesses_[next++]);
    } else if (squares_[i] <= limit) {
      if (wide()) squares_[i] = square_in_order(query, rows[i], scaling, dims_);
      nearest.offer(row, penalised_to(row, query, scaling, gamma, rows, source));
    }
  }
  return nearest.result();
}

Match Matcher::nearest_two_less(const double* query, const double* center, const RowMatrix& rows) {
  // Subtracting the centre c rounds the coordinates of a row r by up to 2^-53 (|r| + |c|), and its distance to the
  // query q by up to 2^-51 (|q| + |c|) more than for r = q. For other rows |r| <= |q| + d, where d is the distance. The
  // part from d is proportional to d; the slack and the grid's allowance for rounding contain it.
  const double rounding = 0x1p-50 * (norm(query, dims_) + norm(center, dims_));
  use(Form::kGrid, rows);
  TwoNearest nearest;
  for (const std::int32_t row : sieve_grid(query, rounding, rows))
    nearest.offer(row, std::sqrt(square_less(query, rows[row], center, dims_)));
  return nearest.result();
}

// The rows that can be among the two nearest, ascending. If gamma is 0, `near_squares_` holds their squares, else
// `squares_` those of all rows.
Matcher::Rows Matcher::search(const double* query, const double* scaling, double gamma,
                              const RowMatrix& rows) {
  use(form_for(scaling, gamma), rows);
  const bool all_squares = gamma > 0.0;
  if (form_ == Form::kBlocks) return search_blocks(query, scaling, all_squares, rows);
  const Rows found = form_ == Form::kGrid ? sieve_grid(query, 0.0, rows)
                                          : sieve_doubles(query, scaling, 0.0, all_squares, rows);
  near_squares_.resize(padded(found.size()));
  kernels().squares_to_rows(query, scaling, rows[0], rows.stride(), found.data(), found.size(),
                            near_squares_.data());
  if (all_squares)
    for (std::size_t c = 0; c < found.size(); ++c) squares_[found[c]] = near_squares_[c];
  return found;
}

Matcher::Rows Matcher::search_blocks(const double* query, const double* scaling, bool all_squares,
                                     const RowMatrix& rows) {
  const std::size_t n_blocks = blocks_.blocks();
  squares_.resize(n_blocks * kLanes);
  candidates_.resize(n_blocks * kLanes);
  std::size_t found = kernels().nearest(query, scaling, blocks_.data(), n_blocks, dims_, 2,
                                        all_squares, squares_.data(), candidates_.data());
  // If nearly all squares overflow, the infinite lanes after the last row are among the candidates.
  while (found > 0 && candidates_[found - 1] >= static_cast<std::int32_t>(rows.rows())) --found;
  near_squares_.resize(found);
  for (std::size_t c = 0; c < found; ++c) near_squares_[c] = squares_[candidates_[c]];
  return {candidates_.data(), found};
}

// The grid takes a quarter of the memory of doubles. Distances to the rows are off by `error`.
Matcher::Rows Matcher::sieve_grid(const double* query, double error, const RowMatrix& rows) {
  if (grid_.is_worn()) assign(rows);
  const Rows found = grid_.sieve(query, grid_search_, 2, error);
  if (!found.empty()) return found;
  grid_.note_failure();
  return sieve_doubles(query, nullptr, error, false, rows);
}

Matcher::Rows Matcher::sieve_doubles(const double* query, const double* scaling, double error,
                                     bool all_squares, const RowMatrix& rows) {
  squares_.resize(rows.rows());
  candidates_.resize(rows.rows());
  const std::size_t found = kernels().sieve_two(query, scaling, rows[0], rows.rows(), rows.stride(),
                                                {slack_, 2.0 * (error + kUnderflow), all_squares},
                                                squares_.data(), candidates_.data());
  return {candidates_.data(), found};
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
