#include "systems/art_categories.hpp"

#include <cmath>

#include "numeric/elementary.hpp"

namespace phida::systems {
namespace {

// |min(sample, W)| for the eight categories of a block: each lane sums its own features, in their order.
void intersections(const double* block, const double* sample, std::size_t width, double* sums) {
  double lanes[kLanes] = {};
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double w = block[j * kLanes + lane], x = sample[j];
      lanes[lane] += w < x ? w : x;
    }
  std::copy_n(lanes, kLanes, sums);
}

}  // namespace

double power(double base, double exponent) {
  constexpr double kMostProducts = 8.0;
  if (exponent <= kMostProducts && exponent == std::floor(exponent)) {
    double product = 1.0;
    for (int i = 0; i < static_cast<int>(exponent); ++i) product *= base;
    return product;
  }
  return base > 0.0 ? portable_pow(base, exponent) : 0.0;
}

double ArtCategories::norm_of(std::size_t category) const {
  double sum = 0.0;
  for (std::size_t j = 0; j < width(); ++j) sum += boxes_[category][j];
  return sum;
}

void ArtCategories::append(const double* box, double gamma_ref) {
  boxes_.append(box);
  norm_.push_back(norm_of(size() - 1));
  norm_power_.push_back(power(norm_.back(), gamma_ref));
}

void ArtCategories::set(std::size_t category, const double* box, double gamma_ref) {
  boxes_.set(category, box);
  norm_[category] = norm_of(category);
  norm_power_[category] = power(norm_[category], gamma_ref);
}

void ArtCategories::measure(double gamma_ref) {
  norm_.resize(size());
  norm_power_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    norm_[i] = norm_of(i);
    norm_power_[i] = power(norm_[i], gamma_ref);
  }
}

void ArtCategories::respond(const double* sample, const ArtExponents& exponents) {
  const BlockedRows& blocks = boxes_.blocks();
  activation_.resize(blocks.blocks() * kLanes);
  match_.resize(size());
  for (std::size_t b = 0; b < blocks.blocks(); ++b)
    intersections(blocks.data() + b * width() * kLanes, sample, width(),
                  activation_.data() + b * kLanes);
  for (std::size_t i = 0; i < size(); ++i) {
    activation_[i] = power(activation_[i] / (exponents.alpha + norm_[i]), exponents.gamma);
    match_[i] = norm_power_[i] * activation_[i];
  }
}

}  // namespace phida::systems
