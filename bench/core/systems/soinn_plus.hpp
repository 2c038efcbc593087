// SOINN+ (Wiwatcharakoses and Berrar 2020): unlike samples add nodes and edges, and unused ones are deleted. The limits
// for both follow the stream.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

// There are no parameters; two errors of the authors' program can be reproduced.
struct SoinnPlusSettings {
  bool count_indices = false;     // count a node that lost its edges by its number, from 1 on
  bool usual_of_renewed = false;  // take the usual thresholds from renewed edges, not from new ones

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("count_indices", self.count_indices);
    visit("usual_of_renewed", self.usual_of_renewed);
  }
};

// Mean and sum of squared deviations of the values seen so far.
struct RunningSpread {
  double mean = 0.0;
  double squares = 0.0;

  // `count` includes the value.
  void add(double value, double count) {
    const double before = mean;
    mean += (value - mean) / count;
    squares += (value - before) * (value - mean);
  }
};

// Statistics of deleted edges or nodes: their number, and their mean age or un-utility.
struct Deleted {
  double count = 0.0;
  double mean = 0.0;

  void add(double sum, double n) {
    mean = (count * mean + sum) / (count + n);
    count += n;
  }
  // The limit between the values deleted so far and the values of the `n` present ones.
  double blend(double limit_now, double n) const {
    const double share = count / (count + n);
    return mean * share + limit_now * (1.0 - share);
  }
};

class SoinnPlus {
 public:
  using Settings = SoinnPlusSettings;

  SoinnPlus(std::size_t dims, Settings settings) : settings_(settings), positions_(dims) {}

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
    visit("wins", self.wins_);
    visit("last_win", self.last_win_);
    visit("n_links", self.n_links_);
    visit("winner_threshold_mean", self.winner_thresholds_.mean);
    visit("winner_threshold_squares", self.winner_thresholds_.squares);
    visit("runner_up_threshold_mean", self.runner_up_thresholds_.mean);
    visit("runner_up_threshold_squares", self.runner_up_thresholds_.squares);
    visit("deleted_edges", self.deleted_edges_.count);
    visit("deleted_edges_age", self.deleted_edges_.mean);
    visit("deleted_nodes", self.deleted_nodes_.count);
    visit("deleted_nodes_unutility", self.deleted_nodes_.mean);
  }
  bool is_consistent() const {
    return graph_.size() == n_nodes() && wins_.size() == n_nodes() && last_win_.size() == n_nodes();
  }

 private:
  void add_node(const double* sample);
  bool learn_known(const double* sample);
  double similarity_threshold(std::int32_t node);
  bool may_link(const TwoNearest& nearest, double winner_threshold,
                double runner_up_threshold) const;
  void link(const TwoNearest& nearest, double winner_threshold, double runner_up_threshold);
  std::vector<std::int32_t> delete_old_edges(std::int32_t winner);
  void update_winner(std::int32_t winner, const double* sample);
  void delete_noise();
  void remove(std::span<const std::int32_t> gone);

  Settings settings_;
  std::int64_t n_seen_ = 0;  // t
  NodePositions positions_;
  AgedGraph graph_;
  std::vector<std::int64_t> wins_;      // c, 1 for a new node
  std::vector<std::int64_t> last_win_;  // l, the sample that made the node or that it won last
  double n_links_ = 0.0;                // L, edges created (or renewed)
  RunningSpread winner_thresholds_, runner_up_thresholds_;  // sum over these edges
  Deleted deleted_edges_;                                   // deleted edges: n_E and A_E
  Deleted deleted_nodes_;                                   // deleted nodes: n_N and U_N

  // Working memory.
  std::vector<double> ages_, unutility_, of_data_;
};

}  // namespace phida::systems
