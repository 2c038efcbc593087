#include "lineage/rates.hpp"

#include <algorithm>

namespace phida {
namespace {

// Log-likelihood ratios of two hypotheses: a cluster now wins a tenth of its former rate, or its rate is unchanged.
// From 16 on it is silent, which happens by chance for one sample in 10^7. From 5 on it may have moved.
constexpr double kSilent = kSilentEvidence, kFalling = 5.0;
constexpr double kStrays = 0.1, kLogStrays = -2.302585092994046;

// A cluster became silent at one of the last two mappings if it misses at most this many times the wins expected
// between two mappings.
constexpr double kLately = 2.5;

// Maximum and minimum of wins from which a rate is estimated.
constexpr double kMostRateWins = 200.0, kFewestRateWins = 20.0;

// Wins above or below the rate by less than this share are not counted as gained or lost.
constexpr double kSlack = 0.1;

// A silent cluster has merged into its neighbour if the neighbour gains this share of what the silent one misses, or
// kSureGain samples, which chance hardly ever adds.
constexpr double kTakenOver = 1.0 / 3.0, kSureGain = 20.0;

// A cluster that splits loses at least these shares of the new one's wins, in addition to its share in any birth: the
// first if the new one is next to it, the second if far away.
constexpr double kSplitLoss = 0.25, kFarSplitLoss = 0.5;

// In a far split, the parent also loses more than any of a hundred clusters loses by chance, and kClearly times as much
// as the cluster with the second largest loss.
constexpr double kFarLoss = 30.0, kClearly = 2.0;

// A new cluster inside another one counts as born, not split off, if the other one gains more than this share of the
// new one's wins.
constexpr double kBornInside = 0.5;

// A cluster is young up to this many times the evidence of a new cluster.
constexpr double kOnItsWay = 3.0;

// Wins expected of a cluster among so many samples.
double expected_wins(const LivingCluster& cluster, double samples) {
  return samples * cluster.rate_won / std::max(cluster.rate_of, 1.0);
}

// The cluster's share of all wins. A birth takes wins from every cluster in proportion to its share.
double share_of(const LivingCluster& cluster) { return expected_wins(cluster, 1.0); }

// It still wins, or has moved. A quiet cluster has not lost its wins to another.
bool may_be_parent(std::int32_t living, const Comparison& now) {
  const LivingCluster& cluster = now.lineage.living[living];
  return !cluster.ended && (cluster.missed < kFalling || now.fell_lately[living]);
}

// The cluster that lost the wins that a new one has elsewhere, or kNone.
std::int32_t far_parent(double evidence, const Comparison& now) {
  std::int32_t parent = kNone;
  double most = 0.0, second = 0.0;
  for (std::size_t k = 0; k < now.lineage.living.size(); ++k) {
    if (!may_be_parent(static_cast<std::int32_t>(k), now)) continue;
    const double lost = now.lineage.living[k].lost;
    if (lost > most) {
      second = most;
      most = lost;
      parent = static_cast<std::int32_t>(k);
    } else if (lost > second) {
      second = lost;
    }
  }
  if (parent == kNone || most < kClearly * second) return kNone;
  const LivingCluster& cluster = now.lineage.living[parent];
  if (cluster.missed < kFalling)
    return most >= std::max(kFarLoss, (kFarSplitLoss + share_of(cluster)) * evidence) ? parent
                                                                                      : kNone;
  // A young silent cluster was seen while it moved. Any other silent cluster may have ended instead.
  const bool on_its_way =
      cluster.missed >= kSilent && static_cast<double>(cluster.rows) <= kOnItsWay * evidence;
  return on_its_way && most >= kSplitLoss * evidence ? parent : kNone;
}

}  // namespace

void update_rates(Comparison& now) {
  std::vector<LivingCluster>& living = now.lineage.living;
  now.quiet.resize(living.size());
  now.fell_lately.assign(living.size(), 0);
  const double elapsed = static_cast<double>(now.mapping.sample - now.lineage.sample);
  for (std::size_t k = 0; k < living.size(); ++k) {
    LivingCluster& cluster = living[k];
    now.quiet[k] = cluster.missed >= kSilent;
    cluster.rows += now.won_by[k];
    // Wins after a silence may be another group next to this one.
    cluster.settled = now.quiet[k] ? 0 : cluster.settled + now.won_by[k];
    if (cluster.ended) continue;
    const double won = static_cast<double>(now.won_by[k]);
    if (cluster.rate_won >= kFewestRateWins) {
      const double expected = elapsed * cluster.rate_won / std::max(cluster.rate_of, 1.0);
      // The logarithm of the likelihood ratio, restarted at 0 if it is evidence against a change (a CUSUM).
      cluster.missed =
          std::max(0.0, cluster.missed + ((1.0 - kStrays) * expected + won * kLogStrays));
      cluster.gained = std::max(0.0, cluster.gained + (won - (1.0 + kSlack) * expected));
      cluster.lost = std::max(0.0, cluster.lost + ((1.0 - kSlack) * expected - won));
      // If samples do not fade, a cluster does not move: it is only quiet, and samples elsewhere belong to another
      // one.
      now.fell_lately[k] =
          now.mapping.fades && cluster.missed >= kFalling && cluster.missed <= kLately * expected;
    }
    if (now.won_by[k] > 0) cluster.last_won = now.mapping.sample;
    cluster.rate_won += won;
    cluster.rate_of += elapsed;
    if (cluster.rate_won > kMostRateWins) {
      cluster.rate_won *= 0.5;
      cluster.rate_of *= 0.5;
    }
  }
}

void add_wins(std::int32_t living, std::int64_t won, Comparison& now) {
  LivingCluster& cluster = now.lineage.living[living];
  now.won_by[living] += won;
  cluster.rows += won;
  cluster.settled += won;
  cluster.missed = std::max(0.0, cluster.missed + static_cast<double>(won) * kLogStrays);
  cluster.lost = std::max(0.0, cluster.lost - static_cast<double>(won));
  cluster.rate_won += static_cast<double>(won);
  if (won > 0) cluster.last_won = now.mapping.sample;
}

void restart_rate(LivingCluster& cluster) {
  cluster.rate_won = cluster.rate_of = cluster.gained = cluster.lost = cluster.missed = 0.0;
}

bool is_falling(std::int32_t living, const Comparison& now) {
  const LivingCluster& cluster = now.lineage.living[living];
  return !cluster.ended && now.fell_lately[living] && cluster.missed >= kFalling;
}

bool is_silent(std::size_t living, const Comparison& now) {
  return now.quiet[living] && now.lineage.living[living].missed >= kSilent;
}

std::int32_t heir_of(std::size_t living, const Comparison& now) {
  if (now.main[living] == kNone) return kNone;
  const std::int32_t heir = now.owner[now.main[living]];
  if (heir == kNone || heir == static_cast<std::int32_t>(living) || now.lineage.living[heir].ended)
    return kNone;
  const bool takes_over = now.lineage.living[heir].gained >=
                          std::min(kTakenOver * now.lineage.living[living].missed, kSureGain);
  return takes_over ? heir : kNone;
}

// A split takes wins from another cluster; a birth does not. Wins of nodes inside a living cluster count for it, so
// it gains by a birth inside.
std::int32_t parent_of(std::int32_t inside, std::int32_t beside, double evidence,
                       const Comparison& now) {
  const std::vector<LivingCluster>& living = now.lineage.living;
  if (inside != kNone && living[inside].gained <= kBornInside * evidence) return inside;
  if (beside != kNone && may_be_parent(beside, now) &&
      living[beside].lost >= (kSplitLoss + share_of(living[beside])) * evidence)
    return beside;
  return far_parent(evidence, now);
}

}  // namespace phida
