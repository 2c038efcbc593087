// CAEA, CIM-based ART with edges and ages (Masuyama et al. 2022): the predecessor of CAE, with interval and maximum
// edge age as parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/correntropy.hpp"

namespace phida::systems {

struct CaeaSettings {
  std::int64_t lam = 28;      // samples of a call between two removals of isolated nodes
  std::int64_t age_max = 10;  // maximum age of an edge

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("lam", self.lam);
    visit("age_max", self.age_max);
  }
};

class Caea {
 public:
  using Settings = CaeaSettings;

  Caea(std::size_t dims, Settings settings) : settings_(settings), positions_(dims) {}

  void begin_call(const double* rows, std::size_t n);

  // The samples of a call are contiguous in memory, because the latest ones are read again.
  void learn(const double* sample);
  void assign(const double* rows, std::size_t n, std::int64_t* labels);

  std::size_t dims() const { return positions_.dims(); }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t n_nodes() const { return positions_.size(); }
  std::size_t n_clusters() const { return graph_.components().count; }
  double vigilance() const { return vigilance_; }
  const NodePositions& positions() const { return positions_; }
  const AgedGraph& graph() const { return graph_; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Settings::fields(self.settings_, visit);
    visit("n_seen", self.n_seen_);
    visit("positions", self.positions_);
    visit("edges", self.graph_);
    visit("count", self.count_);
    visit("bandwidths", self.bandwidths_);
    visit("vigilance", self.vigilance_);
  }
  bool is_consistent() const;

 private:
  std::size_t n_first() const { return static_cast<std::size_t>((settings_.lam + 1) / 2); }
  void match_and_learn(const double* sample);
  void add_node(const double* sample);
  void set_vigilance();
  void remove_isolated_nodes();

  Settings settings_;
  std::int64_t n_seen_ = 0;
  std::int64_t n_in_call_ = 0;  // j, the number of the sample in the current call
  NodePositions positions_;
  AgedGraph graph_;
  std::vector<double> count_;       // M
  std::vector<double> bandwidths_;  // s
  // V. All nodes have the same: they inherit it or share a new one.
  double vigilance_ = 0.0;

  Correntropy correntropy_;  // working memory
};

}  // namespace phida::systems
