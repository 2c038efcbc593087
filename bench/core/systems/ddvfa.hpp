// Distributed Dual Vigilance Fuzzy ART (Brito da Silva, Elnabarawy and Wunsch 2020): every cluster is a small Fuzzy
// ART, with one vigilance between clusters and another inside them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "systems/art_categories.hpp"
#include "systems/feature_range.hpp"

namespace phida::systems {

// How a cluster's activation and match follow from those of its categories.
enum class Linkage : std::int64_t { single, average, complete, median, weighted, centroid };

struct DdvfaSettings {
  double rho_lb = 0.7;   // vigilance between clusters
  double rho_ub = 0.85;  // vigilance inside a cluster
  ArtExponents exponents;
  double beta = 1.0;              // learning rate
  std::int64_t linkage = 0;       // a Linkage
  bool scale_per_call = false;    // scale the rows of each call by their own range
  bool best_if_no_match = false;  // label rows that no cluster matches by activation alone
  std::int64_t max_clusters = 2000;
  FeatureRange range;  // range of the features, if known beforehand

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("rho_lb", self.rho_lb);
    visit("rho_ub", self.rho_ub);
    visit("alpha", self.exponents.alpha);
    visit("gamma", self.exponents.gamma);
    visit("gamma_ref", self.exponents.gamma_ref);
    visit("beta", self.beta);
    visit("linkage", self.linkage);
    visit("scale_per_call", self.scale_per_call);
    visit("best_if_no_match", self.best_if_no_match);
    visit("max_clusters", self.max_clusters);
    visit("range_low", self.range.low);
    visit("range_high", self.range.high);
  }
};

class Ddvfa {
 public:
  using Settings = DdvfaSettings;

  Ddvfa(std::size_t dims, Settings settings)
      : dims_(dims), settings_(std::move(settings)), categories_(empty()), centroids_(empty()) {}

  // Needs all rows of the call, which give the ranges.
  void begin_call(const double* rows, std::size_t n);
  void learn(const double* sample);
  void assign(const double* rows, std::size_t n, std::int64_t* labels);

  std::size_t dims() const { return dims_; }
  std::int64_t n_seen() const { return n_seen_; }
  std::size_t n_nodes() const { return categories_.size(); }
  std::size_t n_clusters() const { return members_.size(); }
  const NodePositions& positions() const { return categories_.boxes(); }

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    Settings::fields(self.settings_, visit);
    visit("n_seen", self.n_seen_);
    visit("seen_low", self.seen_.low);
    visit("seen_high", self.seen_.high);
    visit("positions", self.categories_.boxes());
    visit("count", self.count_);
    visit("cluster", self.cluster_);
  }
  bool is_consistent() const;
  // Recomputes the members that follow from the fields.
  void restore();

 private:
  static constexpr std::int64_t kNoMatch = -1;

  NodePositions empty() const { return NodePositions(2 * dims_); }
  void encode(const double* row, const FeatureRange& range);
  std::int64_t matching_cluster();
  std::int64_t best_cluster() const;
  void respond();
  double linked(std::size_t cluster, const std::vector<double>& values);
  void learn_in(std::size_t cluster);
  void add_category(std::size_t cluster);
  void shrink(std::size_t category);
  void include_in_centroid(std::size_t cluster, const double* box);
  Linkage linkage() const { return static_cast<Linkage>(settings_.linkage); }

  std::size_t dims_;
  Settings settings_;
  std::int64_t n_seen_ = 0;
  FeatureRange seen_;         // range of all rows so far
  FeatureRange call_;         // range of the rows in the current call
  ArtCategories categories_;  // categories of all clusters, in the order of the clusters' creation
  std::vector<std::int64_t> count_;                 // number of samples of each category
  std::vector<std::int64_t> cluster_;               // cluster of each category
  std::vector<std::vector<std::int32_t>> members_;  // categories of each cluster
  ArtCategories centroids_;                         // code of each cluster, for that linkage only

  // Working memory.
  std::vector<double> sample_, box_, values_;
  std::vector<double> activation_, match_;  // of each cluster
};

}  // namespace phida::systems
