// 0-dimensional persistence of node support on the PH graph (spec 6e).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "numeric/csr_graph.hpp"
#include "numeric/disjoint_sets.hpp"

namespace phida {

// Vertices outside the PH input have base and partner -1.
struct Persistence {
  std::vector<std::int32_t> base;     // the mode of the vertex's tree at its own activation
  std::vector<std::int32_t> partner;  // the mode into which this mode died, or -1
  std::vector<double> birth;          // log support
  std::vector<double> death;          // level of its death; -infinity for survivors
  std::vector<double> value;          // birth - death; infinite for survivors
};

// `input` marks the vertices in the persistence. Vertices are activated by descending support, ties by lower index.
class H0Persistence {
 public:
  void compute(const CsrGraph& graph, std::span<const double> support,
               std::span<const std::uint8_t> input, Persistence& out);

 private:
  static constexpr std::size_t kMostKnown = 4096;
  static constexpr double kUnknown = -1.0;  // whole supports are at least 1

  double log_support(std::size_t v, double support);

  std::vector<std::int32_t> order_;    // of the last call: nearly right for the next
  std::vector<double> known_support_;  // per vertex, the support of the cached logarithm
  std::vector<double> known_log_;
  std::vector<double> log_of_;  // per whole support, or kUnknown
  DisjointSets trees_;
  std::vector<std::uint8_t> activated_;
};

}  // namespace phida
