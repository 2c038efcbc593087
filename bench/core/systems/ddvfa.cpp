#include "systems/ddvfa.hpp"

#include <algorithm>
#include <numeric>

#include "numeric/hazen_quantile.hpp"

namespace phida::systems {

void Ddvfa::begin_call(const double* rows, std::size_t n) {
  call_ = {};
  call_.include(rows, n, dims_);
  seen_.include(rows, n, dims_);
  if (!settings_.scale_per_call && !settings_.range.is_known()) settings_.range = call_;
}

void Ddvfa::learn(const double* sample) {
  ++n_seen_;
  encode(sample, settings_.scale_per_call ? call_ : settings_.range);
  const std::int64_t cluster = matching_cluster();
  if (cluster != kNoMatch) {
    learn_in(static_cast<std::size_t>(cluster));
  } else if (static_cast<std::int64_t>(n_clusters()) < settings_.max_clusters) {
    members_.emplace_back();
    add_category(n_clusters() - 1);
  }
}

// Complement coding: (a, 1 - a), whose sum is the same for every sample.
void Ddvfa::encode(const double* row, const FeatureRange& range) {
  sample_.resize(2 * dims_);
  for (std::size_t j = 0; j < dims_; ++j) {
    sample_[j] = range.scaled(j, row[j]);
    sample_[dims_ + j] = 1.0 - sample_[j];
  }
}

// Finds the most active of the matching clusters, the first of equals. Visiting clusters by descending activation finds
// it as the first match.
std::int64_t Ddvfa::matching_cluster() {
  respond();
  const double threshold =
      settings_.rho_lb * power(static_cast<double>(dims_), settings_.exponents.gamma_ref);
  std::int64_t best = kNoMatch;
  for (std::size_t c = 0; c < n_clusters(); ++c)
    if (match_[c] >= threshold && (best == kNoMatch || activation_[c] > activation_[best]))
      best = static_cast<std::int64_t>(c);
  return best;
}

std::int64_t Ddvfa::best_cluster() const {
  return std::ranges::max_element(activation_) - activation_.begin();
}

// Activation and match of every cluster.
void Ddvfa::respond() {
  activation_.resize(n_clusters());
  match_.resize(n_clusters());
  categories_.respond(sample_.data(), settings_.exponents);
  if (linkage() == Linkage::centroid) {
    centroids_.respond(sample_.data(), settings_.exponents);
    std::copy_n(centroids_.activation().begin(), n_clusters(), activation_.begin());
    std::copy_n(centroids_.match().begin(), n_clusters(), match_.begin());
    return;
  }
  for (std::size_t c = 0; c < n_clusters(); ++c) {
    activation_[c] = linked(c, categories_.activation());
    match_[c] = linked(c, categories_.match());
  }
}

double Ddvfa::linked(std::size_t cluster, const std::vector<double>& values) {
  const std::vector<std::int32_t>& members = members_[cluster];
  values_.clear();
  for (const std::int32_t category : members) values_.push_back(values[category]);
  switch (linkage()) {
    case Linkage::complete: return *std::ranges::min_element(values_);
    case Linkage::average:
      return std::accumulate(values_.begin(), values_.end(), 0.0) /
             static_cast<double>(values_.size());
    case Linkage::median: return hazen_quantile(values_, 0.5);
    case Linkage::weighted: {
      double sum = 0.0, total = 0.0;
      for (std::size_t i = 0; i < members.size(); ++i) {
        const auto count = static_cast<double>(count_[members[i]]);
        sum += count * values_[i];
        total += count;
      }
      return sum / total;
    }
    default: return *std::ranges::max_element(values_);
  }
}

// Finds the most active of the matching categories, the first of equals; adds one if none matches.
void Ddvfa::learn_in(std::size_t cluster) {
  const double threshold =
      settings_.rho_ub * power(static_cast<double>(dims_), settings_.exponents.gamma_ref);
  constexpr std::int32_t kNone = -1;
  std::int32_t best = kNone;
  for (const std::int32_t category : members_[cluster])
    if (categories_.match()[category] >= threshold &&
        (best == kNone || categories_.activation()[category] > categories_.activation()[best]))
      best = category;
  if (best == kNone) {
    add_category(cluster);
    return;
  }
  shrink(static_cast<std::size_t>(best));
  ++count_[best];
  include_in_centroid(cluster, box_.data());
}

void Ddvfa::add_category(std::size_t cluster) {
  members_[cluster].push_back(static_cast<std::int32_t>(n_nodes()));
  categories_.append(sample_.data(), settings_.exponents.gamma_ref);
  count_.push_back(1);
  cluster_.push_back(static_cast<std::int64_t>(cluster));
  include_in_centroid(cluster, sample_.data());
}

// Moves the box towards min(sample, W) by the learning rate.
void Ddvfa::shrink(std::size_t category) {
  const double* before = categories_.boxes()[category];
  box_.resize(sample_.size());
  for (std::size_t j = 0; j < box_.size(); ++j)
    box_[j] = settings_.beta * std::min(sample_[j], before[j]) + (1.0 - settings_.beta) * before[j];
  categories_.set(category, box_.data(), settings_.exponents.gamma_ref);
}

// Codes only ever decrease, so the smallest values of a cluster can be kept up to date.
void Ddvfa::include_in_centroid(std::size_t cluster, const double* box) {
  if (linkage() != Linkage::centroid) return;
  if (cluster == centroids_.size()) {
    centroids_.append(box, settings_.exponents.gamma_ref);
    return;
  }
  values_.resize(sample_.size());
  for (std::size_t j = 0; j < values_.size(); ++j)
    values_[j] = std::min(centroids_.boxes()[cluster][j], box[j]);
  centroids_.set(cluster, values_.data(), settings_.exponents.gamma_ref);
}

void Ddvfa::assign(const double* rows, std::size_t n, std::int64_t* labels) {
  const FeatureRange& range = settings_.range.is_known() ? settings_.range : seen_;
  for (std::size_t i = 0; i < n; ++i) {
    encode(rows + i * dims_, range);
    labels[i] = matching_cluster();
    if (labels[i] == kNoMatch && settings_.best_if_no_match) labels[i] = best_cluster();
  }
}

bool Ddvfa::is_consistent() const {
  const auto fits = [this](const FeatureRange& range) {
    return range.low.size() == range.high.size() &&
           (!range.is_known() || range.low.size() == dims_);
  };
  if (!fits(settings_.range) || !fits(seen_) || settings_.linkage < 0 ||
      settings_.linkage > static_cast<std::int64_t>(Linkage::centroid))
    return false;
  if (count_.size() != n_nodes() || cluster_.size() != n_nodes()) return false;
  std::int64_t next = 0;  // clusters are numbered in the order of their first categories
  for (const std::int64_t cluster : cluster_) {
    if (cluster < 0 || cluster > next) return false;
    next += cluster == next;
  }
  return true;
}

void Ddvfa::restore() {
  categories_.measure(settings_.exponents.gamma_ref);
  for (std::size_t i = 0; i < n_nodes(); ++i) {
    const auto cluster = static_cast<std::size_t>(cluster_[i]);
    if (cluster == n_clusters()) members_.emplace_back();
    members_[cluster].push_back(static_cast<std::int32_t>(i));
    sample_.resize(2 * dims_);
    include_in_centroid(cluster, categories_.boxes()[i]);
  }
}

}  // namespace phida::systems
