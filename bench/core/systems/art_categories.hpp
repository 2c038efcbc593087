// Categories of Fuzzy ART: boxes in complement coding, with the activation and match of a sample.
#pragma once

#include <vector>

#include "systems/node_positions.hpp"

namespace phida::systems {

struct ArtExponents {
  double alpha = 1e-3;     // choice parameter
  double gamma = 3.0;      // exponent of the activation
  double gamma_ref = 1.0;  // exponent of the norm in the match
};

// Requires base >= 0. A small whole exponent is computed by multiplication.
double power(double base, double exponent);

class ArtCategories {
 public:
  explicit ArtCategories(NodePositions boxes) : boxes_(std::move(boxes)) {}

  std::size_t size() const { return boxes_.size(); }
  std::size_t width() const { return boxes_.dims(); }
  NodePositions& boxes() { return boxes_; }
  const NodePositions& boxes() const { return boxes_; }

  void append(const double* box, double gamma_ref);
  void set(std::size_t category, const double* box, double gamma_ref);

  // Recomputes the norms after boxes were set from outside.
  void measure(double gamma_ref);

  // T = (|min(x, W)| / (alpha + |W|))^gamma and M = |W|^gamma_ref T of every category W.
  void respond(const double* sample, const ArtExponents& exponents);
  const std::vector<double>& activation() const { return activation_; }
  const std::vector<double>& match() const { return match_; }

 private:
  double norm_of(std::size_t category) const;

  NodePositions boxes_;             // W
  std::vector<double> norm_;        // |W|
  std::vector<double> norm_power_;  // |W|^gamma_ref
  std::vector<double> activation_, match_;
};

}  // namespace phida::systems
