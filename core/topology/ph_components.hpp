// PH components: the persistence tree cut below its largest gap (spec 6d, 6f, 6g).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/csr_graph.hpp"
#include "topology/h0_persistence.hpp"

namespace phida {

struct PhComponents {
  double threshold = 0.0;               // epsilon: modes of at most this persistence are absorbed
  std::vector<std::int32_t> component;  // per vertex, -1 outside the PH input
  std::vector<std::int32_t> mode;       // per component, its mode's vertex, ascending
  std::vector<double> persistence;      // pi, per component

  std::size_t count() const { return mode.size(); }
};

// Marks the vertices that stay in the PH input: those with an edge and, if fewer than two (or all, if there are
// fewer) would remain, the densest ones.
void choose_input(const CsrGraph& graph, std::span<const double> support,
                  std::vector<std::uint8_t>& input);

// Cuts the tree. Uses `scratch` for the persistence levels.
void cut_components(const Persistence& persistence, std::span<const double> support,
                    std::vector<double>& scratch, PhComponents& out);

// The ablation without persistence: every input vertex is a component of infinite persistence.
void separate_components(std::span<const std::uint8_t> input, PhComponents& out);

}  // namespace phida
