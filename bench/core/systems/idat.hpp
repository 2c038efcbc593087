// IDAT, inverse-distance ART with topology (Masuyama, Toda, Nojima and Ishibuchi 2025): a relative of PHIDA with the
// same buffer, moments and vigilance. Its clusters are the components of a graph of nodes that learn together.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "metric/moments.hpp"
#include "nodes/sample_buffer.hpp"
#include "nodes/vigilance.hpp"
#include "systems/aged_graph.hpp"
#include "systems/node_positions.hpp"

namespace phida::systems {

struct IdatSettings {
  template <class Self, class Visit>
  static void fields(Self&, Visit&&) {}  // has no parameters
};

class Idat {
 public:
  using Settings = IdatSettings;

  Idat(std::size_t dims, Settings)
      : positions_(dims), moments_(dims), samples_(dims), window_(dims) {
    keep_samples();
  }

  void learn(const double* sample);
  void assign(const double* rows, std::size_t n, std::int64_t* labels);

  std::size_t dims() const { return positions_.dims(); }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t n_nodes() const { return positions_.size(); }
  std::size_t n_active_nodes() const;
  std::size_t n_clusters() const;
  std::size_t interval() const { return vigilance_.interval; }
  double vigilance() const { return vigilance_.threshold; }
  const NodePositions& positions() const { return positions_; }
  const AgedGraph& graph() const { return edges_; }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("n_seen", self.n_seen_);
    visit("positions", self.positions_);
    visit("count", self.count_);
    visit("scale", self.scale_);
    visit("active", self.active_);
    visit("edges", self.edges_);
    visit("candidates", self.candidates_);
    visit("n_candidates", self.n_candidates_);
    visit("n_coactivations", self.n_coactivations_);
    visit("previous_count", self.previous_count_);
    visit("previous_candidates", self.previous_candidates_);
    visit("hits", self.hits_);
    visit("stream_count", self.moments_.count);
    visit("stream_mean", self.moments_.mean);
    visit("stream_m2", self.moments_.m2);
    visit("interval", self.vigilance_.interval);
    visit("vigilance", self.vigilance_.threshold);
    visit("ratio", self.vigilance_.ratio);
    if constexpr (!std::is_const_v<Self>) self.keep_samples();
    visit("samples", self.samples_);
    visit("since_recalculation", self.since_recalculation_);
  }
  bool is_consistent() const;

 private:
  void add_node(const double* sample);
  void match_and_learn(const double* sample);
  void coactivate(std::int32_t winner, std::int32_t runner_up);
  double usual_count() const;

  void remove_long_edges();
  void remove_single_nodes();
  void demote_idle_nodes();
  void keep(std::span<const std::size_t> kept);
  void recalculate_vigilance();
  // Has no effect before the first recalculation, at the third sample.
  void keep_samples() { samples_.keep(2 * vigilance_.interval); }

  // The nodes that prediction considers, and the cluster of each: the active nodes, or all nodes if none is active.
  struct View {
    std::vector<std::int32_t> node;
    std::vector<std::int64_t> cluster;
    std::size_t n_clusters = 0;
  };
  View view() const;

  std::int64_t n_seen_ = 0;    // t
  NodePositions positions_;    // w
  std::vector<double> count_;  // M
  std::vector<double> scale_;  // s
  std::vector<std::uint8_t> active_;
  AgedGraph edges_;                     // the main graph; the age of an edge is its weight
  AgedGraph candidates_;                // co-activation counts, stored as ages
  std::int64_t n_candidates_ = 0;       // number of pairs in co_activation
  std::int64_t n_coactivations_ = 0;    // sum of the counts in co_activation
  std::vector<double> previous_count_;  // value at the previous maintenance
  std::vector<double> previous_candidates_;
  std::vector<std::int64_t> hits_;  // number of consecutive checks at which a node was idle
  Moments moments_;
  SampleBuffer samples_;
  Vigilance vigilance_;
  std::size_t since_recalculation_ = 0;

  SimilarityWindow window_;  // working memory
};

}  // namespace phida::systems
