#include "lineage/tracker.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace phida {
namespace {

// Wins that confirm a candidate: one per kRowsPerEvidence wins of the cluster concerned, within these bounds. So the
// first clusters of a stream get ids soon, and later changes are certain. All constants below were chosen on those
// streams of studies/identity.py that are not reported.
constexpr std::int64_t kLeastEvidence = 3, kMostEvidence = 50, kRowsPerEvidence = 80;

// A mapping that does not show a candidate takes away so many times what one that shows it adds.
constexpr std::int64_t kAgainst = 2;

// Wins after which a node goes over to the cluster that mappings show it in.
constexpr std::int64_t kNodeEvidence = 20;

// Weight of a candidate's nodes in deciding where their living cluster is. It is below 1, so that the two halves of a
// cluster do not swap roles from one mapping to the next.
constexpr double kOfCandidate = 1.0 / 3.0;

// Log-likelihood ratios of two hypotheses: a cluster now wins a tenth of its former rate, or its rate has not changed.
// It is silent from 16 on, which happens by chance for one sample in 10^7. From 5 on, it may have moved.
constexpr double kSilent = kSilentEvidence, kFalling = 5.0;
constexpr double kStrays = 0.1, kLogStrays = -2.302585092994046;

// A cluster fell silent at one of the last two mappings if it misses at most this many times the wins expected between
// two mappings.
constexpr double kLately = 2.5;

// Most and fewest wins from which the rate of a cluster is estimated.
constexpr double kMostRateWins = 200.0, kFewestRateWins = 20.0;

// Wins above or below the rate by less than this share are not counted as gained or lost.
constexpr double kSlack = 0.1;

// A silent cluster has merged into its neighbour if the neighbour gains this share of what the silent one misses, or
// kSureGain samples, which chance hardly ever adds.
constexpr double kTakenOver = 1.0 / 3.0, kSureGain = 20.0;

// A cluster that splits loses at least these shares of what the new one wins, on top of what a birth would take from it:
// the first if the new one is beside it, the second if it is far away.
constexpr double kSplitLoss = 0.25, kFarSplitLoss = 0.5;

// In a far split, the parent also loses more than any of a hundred clusters loses by chance, and kClearly times as much
// as the cluster with the second largest loss.
constexpr double kFarLoss = 30.0, kClearly = 2.0;

// A new cluster inside another one counts as born, not split off, if the other one gains more than this share of the
// new one's wins.
constexpr double kBornInside = 0.5;

// A cluster has just begun while it has won at most this many times the evidence of a new cluster.
constexpr double kOnItsWay = 3.0;

// If a cluster splits before it has won this many samples, more splits may follow.
constexpr std::int64_t kYoungRows = 2000;

std::int64_t enough(const Mapping& mapping, std::int64_t rows) {
  if (mapping.certain) return 0;
  return std::clamp(rows / kRowsPerEvidence, kLeastEvidence, kMostEvidence);
}

// Sums by key; of equal sums, the lower key is the largest.
class Shares {
 public:
  void add(std::int64_t key, double amount) { sums_[key] += amount; }
  std::pair<std::int64_t, double> largest() const {
    std::pair<std::int64_t, double> best{kNone, 0.0};
    for (const auto& share : sums_)
      if (share.second > best.second) best = share;
    return best;
  }

 private:
  std::map<std::int64_t, double> sums_;
};

// The cluster's share of all wins. A birth takes wins from every cluster in proportion to its share.
double share_of(const LivingCluster& cluster) {
  return cluster.rate_won / std::max(cluster.rate_of, 1.0);
}

// Its rate is another one from now on.
void restart_rate(LivingCluster& cluster) {
  cluster.rate_won = cluster.rate_of = cluster.gained = cluster.lost = cluster.missed = 0.0;
}

void give_nodes(std::int64_t from, std::int64_t to, LineageColumns& nodes) {
  std::replace(nodes.cluster_id.begin(), nodes.cluster_id.end(), from, to);
}

// One cluster goes on as part of another. The caller takes it off the living.
void join(const LivingCluster& ends, LivingCluster& stays, std::int64_t sample,
          std::int64_t confirmed, LineageColumns& nodes, Lineage& lineage) {
  append(lineage,
         {EventKind::kMerged, sample, confirmed, {stays.id, ends.id}, {stays.id}, ends.support});
  restart_rate(stays);
  stays.rows += ends.rows;
  stays.support += ends.support;
  give_nodes(ends.id, stays.id, nodes);
}

}  // namespace

void Tracker::update(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  support_ = mapping.support;
  count_wins(mapping, nodes, lineage);
  update_rates(mapping, lineage);
  find_main(mapping, nodes, lineage);
  follow_moves(mapping, nodes, lineage);
  follow_new_nodes(mapping, nodes, lineage);
  shown_.assign(lineage.candidates.size(), 0);
  look_for_merges(mapping, lineage);
  look_for_births(mapping, nodes, lineage);
  drop_candidates(nodes, lineage);
  settle_nodes(mapping, nodes, lineage);
  confirm_births(mapping, nodes, lineage);  // before the end of clusters that have moved
  end_silent(mapping, nodes, lineage);
  confirm_merges(mapping, nodes, lineage);
  for (LivingCluster& cluster : lineage.living) cluster.support = 0.0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!waits(i, mapping, nodes)) nodes.won_mapped[i] = nodes.won[i];
    const std::int32_t k = living_of(i, nodes, lineage);
    if (k != kNone) lineage.living[k].support += support_[i];
  }
  lineage.sample = mapping.sample;
}

// Looks where the answer was last time, since few nodes change their cluster.
std::int32_t Tracker::living_of(std::size_t node, const LineageColumns& nodes,
                                const Lineage& lineage) {
  const std::int64_t id = nodes.cluster_id[node];
  if (id == kNone) return kNone;
  std::int32_t& place = place_[node];
  if (static_cast<std::size_t>(place) >= lineage.living.size() || lineage.living[place].id != id)
    place = position_of(id, lineage.living);
  return place;
}

void Tracker::count_wins(const Mapping& mapping, LineageColumns& nodes, const Lineage& lineage) {
  place_.resize(nodes.size(), kNone);
  won_.resize(nodes.size());
  won_by_.assign(lineage.living.size(), 0);
  won_in_.assign(mapping.n_clusters, 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    won_[i] = nodes.won[i] - nodes.won_mapped[i];
    if (!waits(i, mapping, nodes))
      nodes.recent[i] = 0.5 * nodes.recent[i] + static_cast<double>(won_[i]);
    const std::int32_t k = living_of(i, nodes, lineage);
    if (k != kNone) won_by_[k] += won_[i];
    if (mapping.cluster[i] != kNone) won_in_[mapping.cluster[i]] += won_[i];
  }
}

void Tracker::update_rates(const Mapping& mapping, Lineage& lineage) {
  quiet_.resize(lineage.living.size());
  fell_lately_.assign(lineage.living.size(), 0);
  const double elapsed = static_cast<double>(mapping.sample - lineage.sample);
  for (std::size_t k = 0; k < lineage.living.size(); ++k) {
    LivingCluster& cluster = lineage.living[k];
    quiet_[k] = cluster.missed >= kSilent;
    cluster.rows += won_by_[k];
    // What wins after a silence may be another group beside this one.
    cluster.settled = quiet_[k] ? 0 : cluster.settled + won_by_[k];
    if (cluster.ended) continue;
    const double won = static_cast<double>(won_by_[k]);
    if (cluster.rate_won >= kFewestRateWins) {
      const double expected = elapsed * cluster.rate_won / std::max(cluster.rate_of, 1.0);
      // The logarithm of the likelihood ratio, begun anew where it speaks against a change (a CUSUM).
      cluster.missed =
          std::max(0.0, cluster.missed + ((1.0 - kStrays) * expected + won * kLogStrays));
      cluster.gained = std::max(0.0, cluster.gained + (won - (1.0 + kSlack) * expected));
      cluster.lost = std::max(0.0, cluster.lost + ((1.0 - kSlack) * expected - won));
      // If samples do not fade, a cluster does not move: it is only quiet, and samples elsewhere are of another one.
      fell_lately_[k] =
          mapping.fades && cluster.missed >= kFalling && cluster.missed <= kLately * expected;
    }
    if (won_by_[k] > 0) cluster.last_won = mapping.sample;
    cluster.rate_won += won;
    cluster.rate_of += elapsed;
    if (cluster.rate_won > kMostRateWins) {
      cluster.rate_won *= 0.5;
      cluster.rate_of *= 0.5;
    }
  }
}

// Wins that turn out to be a cluster's own.
void Tracker::add_wins(std::int32_t living, std::int64_t won, std::int64_t sample,
                       Lineage& lineage) {
  LivingCluster& cluster = lineage.living[living];
  won_by_[living] += won;
  cluster.rows += won;
  cluster.settled += won;
  cluster.missed = std::max(0.0, cluster.missed + static_cast<double>(won) * kLogStrays);
  cluster.lost = std::max(0.0, cluster.lost - static_cast<double>(won));
  cluster.rate_won += static_cast<double>(won);
  if (won > 0) cluster.last_won = sample;
}

// Finds the cluster of the mapping in which each living cluster is: the one with most of its support or, if samples
// fade, of its recent wins. If several living clusters are in the same one, the strongest is its owner.
void Tracker::find_main(const Mapping& mapping, const LineageColumns& nodes,
                        const Lineage& lineage) {
  std::map<std::pair<std::int32_t, std::int32_t>, Overlap> overlaps;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t k = living_of(i, nodes, lineage);
    if (k == kNone || mapping.cluster[i] == kNone) continue;
    Overlap& overlap = overlaps[{k, mapping.cluster[i]}];
    overlap.living = k;
    overlap.cluster = mapping.cluster[i];
    overlap.support += support_[i];
    const double weight = mapping.fades ? nodes.recent[i] : support_[i];
    overlap.weight += weight * (nodes.candidate[i] == kNone ? 1.0 : kOfCandidate);
  }
  std::vector<const Overlap*> best(lineage.living.size(), nullptr);
  for (const auto& [key, overlap] : overlaps) {
    const Overlap*& known = best[overlap.living];
    if (known == nullptr ||
        std::tie(overlap.weight, overlap.support) > std::tie(known->weight, known->support))
      known = &overlap;
  }
  main_.assign(lineage.living.size(), kNone);
  owner_.assign(mapping.n_clusters, kNone);
  for (std::size_t k = 0; k < best.size(); ++k) {
    if (best[k] == nullptr) continue;
    main_[k] = best[k]->cluster;
    std::int32_t& owner = owner_[main_[k]];
    if (owner == kNone || best[k]->support > best[owner]->support)
      owner = static_cast<std::int32_t>(k);
  }
}

bool Tracker::is_falling(std::int32_t living, const Lineage& lineage) const {
  const LivingCluster& cluster = lineage.living[living];
  return !cluster.ended && fell_lately_[living] && cluster.missed >= kFalling;
}

// If new nodes appear beside a living cluster that has just stopped winning, that cluster has moved to them.
void Tracker::follow_moves(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  std::vector<Shares> beside(mapping.n_clusters);
  std::vector<double> support(mapping.n_clusters, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = mapping.cluster[i];
    if (!is_free(c)) continue;
    support[c] += support_[i];
    if (nodes.cluster_id[i] == kNone && nodes.parent_id[i] != kNone)
      beside[c].add(nodes.parent_id[i], support_[i]);
  }
  for (std::size_t c = 0; c < mapping.n_clusters; ++c) {
    const auto [id, share] = beside[c].largest();
    if (!is_free(static_cast<std::int32_t>(c)) || won_in_[c] == 0 || id == kNone ||
        2.0 * share < support[c])
      continue;
    const std::int32_t k = position_of(id, lineage.living);
    if (k == kNone || !is_falling(k, lineage)) continue;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (mapping.cluster[i] != static_cast<std::int32_t>(c)) continue;
      nodes.cluster_id[i] = id;
      nodes.candidate[i] = kNone;
    }
    add_wins(k, won_in_[c], mapping.sample, lineage);
    owner_[c] = k;
    main_[k] = static_cast<std::int32_t>(c);
  }
}

// A new node joins the living cluster that it appeared beside, if the mapping has both in the same cluster, or if the
// living cluster seems to have moved there.
void Tracker::follow_new_nodes(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  bool moved = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = mapping.cluster[i];
    if (c == kNone || is_free(c) || nodes.cluster_id[i] != kNone || nodes.candidate[i] != kNone)
      continue;
    const std::int32_t k = position_of(nodes.parent_id[i], lineage.living);
    if (k == kNone || lineage.living[k].ended) continue;
    if (main_[k] != c && !is_falling(k, lineage)) continue;
    nodes.cluster_id[i] = nodes.parent_id[i];
    add_wins(k, won_[i], mapping.sample, lineage);
    moved |= main_[k] != c;
  }
  if (moved) find_main(mapping, nodes, lineage);
}

// Two living clusters in one place.
void Tracker::look_for_merges(const Mapping& mapping, Lineage& lineage) {
  const std::size_t known = lineage.candidates.size();
  const auto both_won = [&](std::int32_t a, std::int32_t b) {
    return std::min(won_by_[a], won_by_[b]);
  };
  for (std::size_t k = 0; k < main_.size(); ++k) {
    if (main_[k] == kNone) continue;
    const std::int32_t self = static_cast<std::int32_t>(k), other = owner_[main_[k]];
    if (other == self || lineage.living[self].ended || lineage.living[other].ended) continue;
    const std::int64_t lower = lineage.living[std::min(self, other)].id;
    const std::int64_t higher = lineage.living[std::max(self, other)].id;
    std::size_t at = 0;
    while (at < known && !lineage.candidates[at].is_merge_of(lower, higher)) ++at;
    if (at == known) {
      at = lineage.candidates.size();
      lineage.candidates.push_back({EventKind::kMerged, lower, higher, mapping.sample, 0});
      shown_.push_back(0);
    }
    shown_[at] = 1;
    lineage.candidates[at].evidence += both_won(self, other);
  }
  for (std::size_t at = 0; at < known; ++at) {
    Candidate& candidate = lineage.candidates[at];
    if (candidate.kind != EventKind::kMerged || shown_[at]) continue;
    const std::int32_t a = position_of(candidate.first, lineage.living);
    const std::int32_t b = position_of(candidate.second, lineage.living);
    const bool gone = a == kNone || b == kNone;
    candidate.evidence -= gone ? candidate.evidence : kAgainst * both_won(a, b);
  }
}

// Which candidate each free cluster is: the one that it shares most support with.
void Tracker::match_candidates(const Mapping& mapping, const LineageColumns& nodes) {
  std::map<std::pair<std::int64_t, std::int32_t>, double> shared;  // by candidate and cluster
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_free(mapping.cluster[i]) && nodes.candidate[i] != kNone)
      shared[{nodes.candidate[i], mapping.cluster[i]}] += support_[i];
  std::vector<std::tuple<double, std::int64_t, std::int32_t>> order;
  for (const auto& [key, support] : shared) order.push_back({-support, key.first, key.second});
  std::sort(order.begin(), order.end());
  candidate_of_.assign(mapping.n_clusters, kNone);
  for (const auto& [support, number, cluster] : order) {
    const bool taken =
        std::find(candidate_of_.begin(), candidate_of_.end(), number) != candidate_of_.end();
    if (!taken && candidate_of_[cluster] == kNone) candidate_of_[cluster] = number;
  }
}

// Clusters that are none of the living.
void Tracker::look_for_births(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  match_candidates(mapping, nodes);
  for (std::size_t c = 0; c < mapping.n_clusters; ++c) {
    // What wins nothing is where a cluster was, not one more.
    if (!is_free(static_cast<std::int32_t>(c)) || candidate_of_[c] != kNone) continue;
    if (won_in_[c] == 0 && !mapping.certain) continue;
    candidate_of_[c] = lineage.n_candidates++;
    std::int64_t sample = mapping.sample;
    for (std::size_t i = 0; i < mapping.birth.size(); ++i)
      if (mapping.cluster[i] == static_cast<std::int32_t>(c) && nodes.cluster_id[i] == kNone &&
          nodes.won_mapped[i] == 0)
        sample = std::min(sample, mapping.birth[i] + 1);
    lineage.candidates.push_back({EventKind::kBorn, candidate_of_[c], 0, sample, 0});
    shown_.push_back(0);
  }
  const auto cluster_of = [&](std::int64_t number) {
    return std::find(candidate_of_.begin(), candidate_of_.end(), number) - candidate_of_.begin();
  };
  const auto n_clusters = static_cast<std::ptrdiff_t>(mapping.n_clusters);
  std::map<std::int64_t, std::int64_t> not_shown;  // wins by candidate
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = mapping.cluster[i];
    std::int64_t& number = nodes.candidate[i];
    if (c != kNone && candidate_of_[c] != kNone)
      number = candidate_of_[c];
    else if (number != kNone && cluster_of(number) < n_clusters)
      number = kNone;  // the candidate goes on without this node
    else if (number != kNone)
      not_shown[number] += won_[i];
  }
  for (std::size_t at = 0; at < lineage.candidates.size(); ++at) {
    Candidate& candidate = lineage.candidates[at];
    if (candidate.kind != EventKind::kBorn) continue;
    const std::ptrdiff_t c = cluster_of(candidate.first);
    if (c < n_clusters) {
      shown_[at] = 1;
      candidate.evidence += won_in_[c];
    } else {
      const auto wins = not_shown.find(candidate.first);
      const bool gone = wins == not_shown.end();
      candidate.evidence -= gone ? candidate.evidence : kAgainst * wins->second;
    }
  }
}

// Candidates that are not shown and have no evidence left.
void Tracker::drop_candidates(LineageColumns& nodes, Lineage& lineage) {
  std::size_t kept = 0;
  for (std::size_t at = 0; at < lineage.candidates.size(); ++at) {
    const Candidate candidate = lineage.candidates[at];
    if (shown_[at] || candidate.evidence > 0) {
      shown_[kept] = shown_[at];
      lineage.candidates[kept++] = candidate;
    } else if (candidate.kind == EventKind::kBorn) {
      std::replace(nodes.candidate.begin(), nodes.candidate.end(), candidate.first,
                   std::int64_t{kNone});
    }
  }
  lineage.candidates.resize(kept);
  shown_.resize(kept);
}

// A new node joins the living cluster that owns its cluster of the mapping. Other nodes change to it once they have won
// enough there.
void Tracker::settle_nodes(const Mapping& mapping, LineageColumns& nodes,
                           const Lineage& lineage) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t c = mapping.cluster[i];
    if (c == kNone || is_free(c) || nodes.candidate[i] != kNone) continue;
    std::int64_t& id = nodes.cluster_id[i];
    const std::int64_t owner = lineage.living[owner_[c]].id;
    const bool away = id != kNone && id != owner && main_[position_of(id, lineage.living)] != c;
    nodes.away[i] = away ? nodes.away[i] + won_[i] : 0;
    if (id != kNone && nodes.away[i] < kNodeEvidence) continue;
    id = owner;
    nodes.away[i] = 0;
  }
}

// The cluster that a silent one has moved into, or kNone: the one in its place, if that gains what the silent one misses.
std::int32_t Tracker::heir_of(std::size_t living, const Lineage& lineage) const {
  if (main_[living] == kNone) return kNone;
  const std::int32_t heir = owner_[main_[living]];
  if (heir == kNone || heir == static_cast<std::int32_t>(living) || lineage.living[heir].ended)
    return kNone;
  const bool takes_over = lineage.living[heir].gained >=
                          std::min(kTakenOver * lineage.living[living].missed, kSureGain);
  return takes_over ? heir : kNone;
}

// Ends clusters that have no nodes left, or that are silent while samples fade. They die, or merge if they have moved
// into another cluster. A dead cluster that wins again while some of its nodes are left is revived.
void Tracker::end_silent(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  std::vector<std::uint8_t> has_nodes(lineage.living.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int32_t k = living_of(i, nodes, lineage);
    if (k != kNone) has_nodes[k] = 1;
  }
  for (std::size_t k = 0; k < lineage.living.size(); ++k) {
    LivingCluster& cluster = lineage.living[k];
    if (cluster.ended) {
      cluster.rate_won += static_cast<double>(won_by_[k]);
      if (cluster.rate_won < static_cast<double>(enough(mapping, cluster.rows))) continue;
      append(lineage, {EventKind::kRevived,
                       cluster.last_won,
                       mapping.sample,
                       {},
                       {cluster.id},
                       cluster.support});
      restart_rate(cluster);
      cluster.ended = 0;
      cluster.last_won = mapping.sample;
    } else if (!has_nodes[k] || (mapping.fades && quiet_[k] && cluster.missed >= kSilent)) {
      cluster.ended = 1;
      const std::int32_t heir = heir_of(k, lineage);
      if (heir == kNone) {
        append(lineage, {EventKind::kDied,
                         cluster.last_won,
                         mapping.sample,
                         {cluster.id},
                         {},
                         cluster.support});
        restart_rate(cluster);
        continue;
      }
      join(cluster, lineage.living[heir], cluster.last_won, mapping.sample, nodes, lineage);
      has_nodes[k] = 0;
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < lineage.living.size(); ++k)
    if (has_nodes[k] || !lineage.living[k].ended) lineage.living[kept++] = lineage.living[k];
  lineage.living.resize(kept);
}

void Tracker::confirm_merges(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  const auto alive = [&](std::int64_t id) {
    const std::int32_t k = position_of(id, lineage.living);
    return k == kNone || lineage.living[k].ended ? kNone : k;
  };
  for (std::size_t at = 0; at < lineage.candidates.size();) {
    const Candidate candidate = lineage.candidates[at];
    const std::int32_t a = alive(candidate.first), b = alive(candidate.second);
    if (candidate.kind != EventKind::kMerged ||
        (a != kNone && b != kNone &&
         (!shown_[at] || candidate.evidence < enough(mapping, std::min(lineage.living[a].rows,
                                                                       lineage.living[b].rows))))) {
      ++at;
      continue;
    }
    lineage.candidates.erase(lineage.candidates.begin() + static_cast<std::ptrdiff_t>(at));
    shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(at));
    if (a == kNone || b == kNone) continue;  // one of them has ended
    const bool first_stays = lineage.living[a].support >= lineage.living[b].support;
    LivingCluster& stays = lineage.living[first_stays ? a : b];
    const LivingCluster ends = lineage.living[first_stays ? b : a];
    join(ends, stays, candidate.sample, mapping.sample, nodes, lineage);
    lineage.living.erase(lineage.living.begin() + (first_stays ? b : a));
  }
}

bool Tracker::may_be_parent(std::int32_t living, const Lineage& lineage) const {
  const LivingCluster& cluster = lineage.living[living];
  return !cluster.ended && (cluster.missed < kFalling || fell_lately_[living]);
}

// The cluster that has lost what a new one wins elsewhere, or kNone.
std::int32_t Tracker::far_parent(double evidence, const Lineage& lineage) const {
  std::int32_t parent = kNone;
  double most = 0.0, second = 0.0;
  for (std::size_t k = 0; k < lineage.living.size(); ++k) {
    if (!may_be_parent(static_cast<std::int32_t>(k), lineage)) continue;
    const double lost = lineage.living[k].lost;
    if (lost > most) {
      second = most;
      most = lost;
      parent = static_cast<std::int32_t>(k);
    } else if (lost > second) {
      second = lost;
    }
  }
  if (parent == kNone || most < kClearly * second) return kNone;
  const LivingCluster& cluster = lineage.living[parent];
  if (cluster.missed < kFalling)
    return most >= std::max(kFarLoss, (kFarSplitLoss + share_of(cluster)) * evidence) ? parent
                                                                                      : kNone;
  // A silent cluster that had just begun was seen while it moved. Any other silent cluster may as well have ended.
  const bool on_its_way =
      cluster.missed >= kSilent && static_cast<double>(cluster.rows) <= kOnItsWay * evidence;
  return on_its_way && most >= kSplitLoss * evidence ? parent : kNone;
}

void Tracker::confirm_births(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  const double elapsed = static_cast<double>(mapping.sample - lineage.sample);
  // What is known of where the nodes of a new cluster come from.
  struct Origin {
    double support = 0.0;
    std::int64_t rows = 0;        // won since the last mapping
    std::int32_t inside = kNone;  // the living cluster that most of it belongs to,
    std::int32_t beside = kNone;  // or else the one that most of it came beside
  };
  const auto origin_of = [&](auto in) {
    Origin origin;
    Shares inside, beside;
    double known = 0.0;
    const auto lives = [&](std::int64_t id) {
      const std::int32_t k = position_of(id, lineage.living);
      return k != kNone && !lineage.living[k].ended;
    };
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!in(i)) continue;
      origin.support += support_[i];
      origin.rows += won_[i];
      if (lives(nodes.cluster_id[i])) {
        known += support_[i];
        inside.add(nodes.cluster_id[i], support_[i]);
      } else if (lives(nodes.parent_id[i])) {
        beside.add(nodes.parent_id[i], support_[i]);
      }
    }
    if (known > 0.0 && 2.0 * known >= origin.support)
      origin.inside = position_of(inside.largest().first, lineage.living);
    else
      origin.beside = position_of(beside.largest().first, lineage.living);
    return origin;
  };
  // A split takes wins away from another cluster; a birth does not. Wins of nodes inside a living cluster count for it,
  // so a birth inside a cluster lets that one gain.
  const auto parent_of = [&](const Origin& origin, double evidence) -> std::int32_t {
    const std::vector<LivingCluster>& living = lineage.living;
    if (origin.inside != kNone && living[origin.inside].gained <= kBornInside * evidence)
      return origin.inside;
    if (origin.beside != kNone && may_be_parent(origin.beside, lineage)) {
      const LivingCluster& other = living[origin.beside];
      if (other.lost >= (kSplitLoss + share_of(other)) * evidence) return origin.beside;
    }
    return far_parent(evidence, lineage);
  };
  const auto take_nodes = [&](std::int64_t id, auto in) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!in(i)) continue;
      nodes.cluster_id[i] = id;
      nodes.candidate[i] = kNone;
      nodes.away[i] = 0;
    }
  };
  const auto confirm = [&](const Candidate& candidate, auto in) {
    const Origin origin = origin_of(in);
    const std::int32_t parent = parent_of(origin, static_cast<double>(candidate.evidence));
    if (parent != kNone && is_falling(parent, lineage)) {  // it has moved
      add_wins(parent, candidate.evidence, mapping.sample, lineage);
      take_nodes(lineage.living[parent].id, in);
      return;
    }
    const std::int64_t id = lineage.n_ids++;
    for (const std::int32_t k : {origin.inside, parent})
      if (k != kNone) restart_rate(lineage.living[k]);
    if (parent == kNone) {
      append(lineage,
             {EventKind::kBorn, candidate.sample, mapping.sample, {}, {id}, origin.support});
    } else {
      LivingCluster& other = lineage.living[parent];
      append(lineage, {EventKind::kSplit,
                       candidate.sample,
                       mapping.sample,
                       {other.id},
                       {other.id, id},
                       origin.support});
      if (other.rows < kYoungRows) other.settled = 0;
    }
    lineage.living.push_back(
        {.id = id,
         .support = origin.support,
         .rows = origin.rows,
         .rate_won = static_cast<double>(candidate.evidence),
         .rate_of = static_cast<double>(mapping.sample - candidate.sample) + elapsed,
         .last_won = mapping.sample});
    won_by_.push_back(0);
    main_.push_back(kNone);
    quiet_.push_back(0);
    fell_lately_.push_back(0);
    take_nodes(id, in);
  };
  std::size_t kept = 0;
  for (std::size_t at = 0; at < lineage.candidates.size(); ++at) {
    const Candidate candidate = lineage.candidates[at];
    const auto in = [&](std::size_t i) { return nodes.candidate[i] == candidate.first; };
    const auto rows_around = [&] {
      const Origin origin = origin_of(in);
      return origin.inside == kNone ? mapping.sample : lineage.living[origin.inside].rows;
    };
    if (candidate.kind == EventKind::kBorn && shown_[at] &&
        candidate.evidence >= enough(mapping, rows_around())) {
      confirm(candidate, in);
    } else {
      shown_[kept] = shown_[at];
      lineage.candidates[kept++] = candidate;
    }
  }
  lineage.candidates.resize(kept);
  shown_.resize(kept);
  // Something in the map must have a name: the strongest.
  std::vector<double> support(mapping.n_clusters, 0.0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (mapping.cluster[i] == kNone) continue;
    if (nodes.cluster_id[i] != kNone) return;
    support[mapping.cluster[i]] += support_[i];
  }
  const auto strongest =
      static_cast<std::int32_t>(std::max_element(support.begin(), support.end()) - support.begin());
  confirm({EventKind::kBorn, kNone, kNone, mapping.sample, 0},
          [&](std::size_t i) { return mapping.cluster[i] == strongest; });
}

}  // namespace phida
