#include "lineage/candidates.hpp"

#include <algorithm>
#include <tuple>

namespace phida {
namespace {

// A mapping that lacks a candidate subtracts this many times the evidence that one with it adds.
constexpr std::int64_t kAgainst = 2;

std::int64_t both_won(std::int32_t a, std::int32_t b, const Comparison& now) {
  return std::min(now.won_by[a], now.won_by[b]);
}

// Number of the candidate that each cluster of the mapping is, or kNone. Free clusters get the candidate with which
// they share most support.
std::vector<std::int64_t> match_candidates(const Comparison& now) {
  std::map<std::pair<std::int64_t, std::int32_t>, double> shared;  // by candidate and cluster
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    if (now.is_free(now.mapping.cluster[i]) && now.nodes.candidate[i] != kNone)
      shared[{now.nodes.candidate[i], now.mapping.cluster[i]}] += now.mapping.support[i];
  std::vector<std::tuple<double, std::int64_t, std::int32_t>> order;
  for (const auto& [key, support] : shared) order.push_back({-support, key.first, key.second});
  std::sort(order.begin(), order.end());
  std::vector<std::int64_t> candidate_of(now.mapping.n_clusters, kNone);
  for (const auto& [support, number, cluster] : order) {
    const bool taken =
        std::find(candidate_of.begin(), candidate_of.end(), number) != candidate_of.end();
    if (!taken && candidate_of[cluster] == kNone) candidate_of[cluster] = number;
  }
  return candidate_of;
}

// Samples learned when the first node of a new cluster was created, if that was after the last mapping.
std::int64_t first_seen(std::int32_t cluster, const Comparison& now) {
  std::int64_t sample = now.mapping.sample;
  for (std::size_t i = 0; i < now.mapping.birth.size(); ++i)
    if (now.mapping.cluster[i] == cluster && now.nodes.cluster_id[i] == kNone &&
        now.nodes.won_mapped[i] == 0)
      sample = std::min(sample, now.mapping.birth[i] + 1);
  return sample;
}

}  // namespace

void look_for_merges(Comparison& now) {
  Lineage& lineage = now.lineage;
  const std::size_t known = lineage.candidates.size();
  for (std::size_t k = 0; k < now.main.size(); ++k) {
    if (now.main[k] == kNone) continue;
    const std::int32_t self = static_cast<std::int32_t>(k), other = now.owner[now.main[k]];
    if (other == self || lineage.living[self].ended || lineage.living[other].ended) continue;
    const std::int64_t lower = lineage.living[std::min(self, other)].id;
    const std::int64_t higher = lineage.living[std::max(self, other)].id;
    std::size_t at = 0;
    while (at < known && !lineage.candidates[at].is_merge_of(lower, higher)) ++at;
    if (at == known) {
      at = lineage.candidates.size();
      lineage.candidates.push_back({EventKind::kMerged, lower, higher, now.mapping.sample, 0});
      now.shown.push_back(0);
    }
    now.shown[at] = 1;
    lineage.candidates[at].evidence += both_won(self, other, now);
  }
  for (std::size_t at = 0; at < known; ++at) {
    Candidate& candidate = lineage.candidates[at];
    if (candidate.kind != EventKind::kMerged || now.shown[at]) continue;
    const std::int32_t a = position_of(candidate.first, lineage.living);
    const std::int32_t b = position_of(candidate.second, lineage.living);
    const bool gone = a == kNone || b == kNone;
    candidate.evidence -= gone ? candidate.evidence : kAgainst * both_won(a, b, now);
  }
}

void look_for_births(Comparison& now) {
  Lineage& lineage = now.lineage;
  const auto is_birth = [](const Candidate& c) { return c.kind == EventKind::kBorn; };
  if (!now.any_free() &&
      std::none_of(lineage.candidates.begin(), lineage.candidates.end(), is_birth))
    return;
  std::vector<std::int64_t> candidate_of = match_candidates(now);
  for (std::size_t at = 0; at < candidate_of.size(); ++at) {
    const auto c = static_cast<std::int32_t>(at);
    // Nodes without wins are the former place of a cluster, not a new one.
    if (!now.is_free(c) || candidate_of[at] != kNone) continue;
    if (now.won_in[at] == 0 && !now.mapping.certain) continue;
    candidate_of[at] = lineage.n_candidates++;
    lineage.candidates.push_back({EventKind::kBorn, candidate_of[at], 0, first_seen(c, now), 0});
    now.shown.push_back(0);
  }
  std::map<std::int64_t, std::size_t> cluster_of;  // by candidate
  for (std::size_t at = 0; at < candidate_of.size(); ++at)
    if (candidate_of[at] != kNone) cluster_of[candidate_of[at]] = at;
  std::map<std::int64_t, std::int64_t> not_shown;  // wins by candidate
  for (std::size_t i = 0; i < now.nodes.size(); ++i) {
    const std::int32_t c = now.mapping.cluster[i];
    std::int64_t& number = now.nodes.candidate[i];
    if (c != kNone && candidate_of[c] != kNone)
      number = candidate_of[c];
    else if (number != kNone && cluster_of.count(number) > 0)
      number = kNone;  // the candidate continues without this node
    else if (number != kNone)
      not_shown[number] += now.won[i];
  }
  for (std::size_t at = 0; at < lineage.candidates.size(); ++at) {
    Candidate& candidate = lineage.candidates[at];
    if (candidate.kind != EventKind::kBorn) continue;
    const auto cluster = cluster_of.find(candidate.first);
    if (cluster != cluster_of.end()) {
      now.shown[at] = 1;
      candidate.evidence += now.won_in[cluster->second];
      continue;
    }
    const auto wins = not_shown.find(candidate.first);
    candidate.evidence -= wins == not_shown.end() ? candidate.evidence : kAgainst * wins->second;
  }
}

void drop_candidates(Comparison& now) {
  std::vector<Candidate>& candidates = now.lineage.candidates;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const Candidate candidate = candidates[at];
    if (now.shown[at] || candidate.evidence > 0) {
      now.shown[kept] = now.shown[at];
      candidates[kept++] = candidate;
    } else if (candidate.kind == EventKind::kBorn) {
      std::replace(now.nodes.candidate.begin(), now.nodes.candidate.end(), candidate.first,
                   std::int64_t{kNone});
    }
  }
  candidates.resize(kept);
  now.shown.resize(kept);
}

}  // namespace phida
