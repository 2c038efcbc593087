// Growing Neural Gas (Fritzke 1995): nodes follow the samples, and a node is inserted near the largest error at regular
// intervals.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

struct GngSettings {
  std::int64_t lam = 100;     // samples between two insertions
  std::int64_t a_max = 50;    // maximum age of an edge
  double eps_b = 0.2;         // step of the winner
  double eps_n = 0.006;       // step of its neighbours
  double alpha = 0.5;         // factor on the parents' errors at an insertion
  double d = 0.995;           // factor on every error after each sample
  std::int64_t n_max = 2000;  // maximum number of nodes

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lam", self.lam);
    visit("a_max", self.a_max);
    visit("eps_b", self.eps_b);
    visit("eps_n", self.eps_n);
    visit("alpha", self.alpha);
    visit("d", self.d);
    visit("n_max", self.n_max);
  }
};

class Gng {
 public:
  using Settings = GngSettings;

  Gng(std::size_t dims, Settings settings) : settings_(settings), positions_(dims) {}

  void learn(const double* sample);
  void assign(const double* rows, std::size_t n, std::int64_t* labels);

  std::size_t dims() const { return positions_.dims(); }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t n_nodes() const { return positions_.size(); }
  std::size_t n_clusters() const { return graph_.components().count; }
  const NodePositions& positions() const { return positions_; }
  const AgedGraph& graph() const { return graph_; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Settings::fields(self.settings_, visit);
    visit("n_seen", self.n_seen_);
    visit("positions", self.positions_);
    visit("edges", self.graph_);
    visit("error", self.scaled_error_);
    visit("error_unit", self.error_unit_);
  }
  bool is_consistent() const {
    return graph_.size() == n_nodes() && scaled_error_.size() == n_nodes() && settings_.lam > 0;
  }

 private:
  void add_node(const double* position, double scaled_error);
  void remove_old_edges(std::int32_t winner);
  void insert_node();
  void decay_errors();
  std::int32_t largest_error_beside(std::int32_t node) const;

  Settings settings_;
  std::int64_t n_seen_ = 0;  // t
  NodePositions positions_;
  AgedGraph graph_;
  // The error of node i is scaled_error_[i] * error_unit_: one product decays all errors.
  std::vector<double> scaled_error_;
  double error_unit_ = 1.0;
};

}  // namespace phida::systems
