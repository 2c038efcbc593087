// CAE, CIM-based ART with edges (Masuyama et al. 2026). The diversity of the first nodes sets how many nodes must be
// alive, and how similar a sample must be to its node. Edges older than usual are removed.
#pragma once

#include <cstdint>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/correntropy.hpp"
#include "systems/growing_determinant.hpp"

namespace phida::systems {

struct CaeSettings {
  std::int64_t max_nodes =
      2000;  // beyond this many nodes, samples that would become a node are ignored

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("max_nodes", self.max_nodes);
  }
};

class Cae {
 public:
  using Settings = CaeSettings;

  Cae(std::size_t dims, Settings settings) : settings_(settings), positions_(dims) {}

  void begin_call(const double* rows, std::size_t n);
  void learn(const double* sample);
  void assign(const double* rows, std::size_t n, std::int64_t* labels);

  std::size_t dims() const { return positions_.dims(); }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t n_nodes() const { return positions_.size(); }
  std::size_t n_clusters() const { return graph_.components().count; }
  std::int64_t interval() const { return 2 * n_active_; }
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
    visit("recency", self.recency_);
    visit("bandwidth", self.bandwidth_);
    visit("n_active", self.n_active_);
    visit("vigilance", self.vigilance_);
    visit("n_removed_edges", self.n_removed_edges_);
    visit("mean_removed_age", self.mean_removed_age_);
  }
  bool is_consistent() const;

 private:
  bool is_ready() const { return n_active_ > 0; }
  bool is_full() const { return static_cast<std::int64_t>(n_nodes()) >= settings_.max_nodes; }
  void fill(const double* sample);
  void measure_diversity();
  void set_vigilance();
  void match_and_learn(const double* sample);
  void add_node(const double* sample);
  void touch(std::int32_t node);
  double recent_bandwidth() const;
  void remove_old_edges(std::int32_t node);
  void remove_isolated_nodes();

  Settings settings_;
  std::int64_t n_seen_ = 0;
  std::int64_t n_in_call_ = 0;  // j, the number of the sample in the current call
  NodePositions positions_;
  AgedGraph graph_;
  std::vector<double> count_;          // M
  std::vector<double> bandwidths_;     // s, per node
  std::vector<std::int32_t> recency_;  // all nodes, the most recently learned last
  double bandwidth_ = 0.0;             // bandwidth of a new node while there are few nodes
  std::int64_t n_active_ = 0;          // number of nodes that are diverse enough; 0 until known
  double vigilance_ = 1.0;             // V, the largest CIM at which a node learns a sample
  std::int64_t n_removed_edges_ = 0;
  double mean_removed_age_ = 0.0;

  // Working memory. The determinant is recomputed from the nodes, so it need not be saved.
  GrowingDeterminant diversity_;
  Correntropy correntropy_;
};

}  // namespace phida::systems
