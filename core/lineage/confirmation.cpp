#include "lineage/confirmation.hpp"

#include <algorithm>

#include "lineage/rates.hpp"

namespace phida {
namespace {

// Wins that confirm a candidate: one per kRowsPerEvidence wins of its cluster, within these bounds. Early clusters of
// a stream thus get ids soon, and later changes are certain. The constants of the lineage were chosen on the
// unreported streams of bench/studies/identity.py.
constexpr std::int64_t kLeastEvidence = 3, kMostEvidence = 50, kRowsPerEvidence = 80;

// A cluster that splits within this many wins may split again.
constexpr std::int64_t kYoungRows = 2000;

std::int64_t enough(const Mapping& mapping, std::int64_t rows) {
  if (mapping.certain) return 0;
  return std::clamp(rows / kRowsPerEvidence, kLeastEvidence, kMostEvidence);
}

using NodeList = std::vector<std::size_t>;

// Origin of a new cluster's nodes.
struct Origin {
  double support = 0.0;
  std::int64_t rows = 0;        // wins since the last mapping
  std::int32_t inside = kNone;  // the living cluster of most of its wins,
  std::int32_t beside = kNone;  // or else the one next to which most of it was created
};

Origin origin_of(const NodeList& members, const Comparison& now) {
  Origin origin;
  Shares inside, beside;
  double known = 0.0;
  const auto lives = [&](std::int64_t id) {
    const std::int32_t k = position_of(id, now.lineage.living);
    return k != kNone && !now.lineage.living[k].ended;
  };
  for (const std::size_t i : members) {
    const double support = now.mapping.support[i];
    origin.support += support;
    origin.rows += now.won[i];
    if (lives(now.nodes.cluster_id[i])) {
      known += support;
      inside.add(now.nodes.cluster_id[i], support);
    } else if (lives(now.nodes.parent_id[i])) {
      beside.add(now.nodes.parent_id[i], support);
    }
  }
  if (known > 0.0 && 2.0 * known >= origin.support)
    origin.inside = position_of(inside.largest().first, now.lineage.living);
  else
    origin.beside = position_of(beside.largest().first, now.lineage.living);
  return origin;
}

void take_nodes(std::int64_t id, const NodeList& members, LineageColumns& nodes) {
  for (const std::size_t i : members) {
    nodes.cluster_id[i] = id;
    nodes.candidate[i] = kNone;
    nodes.away[i] = 0;
  }
}

void add_living(const LivingCluster& cluster, Comparison& now) {
  now.lineage.living.push_back(cluster);
  now.won_by.push_back(0);
  now.main.push_back(kNone);
  now.quiet.push_back(0);
  now.fell_lately.push_back(0);
}

// Records a new cluster as a birth, a split, or a move of a living one.
void confirm_birth(const Candidate& candidate, const Origin& origin, const NodeList& members,
                   Comparison& now) {
  Lineage& lineage = now.lineage;
  const std::int64_t sample = now.mapping.sample;
  const std::int32_t parent =
      parent_of(origin.inside, origin.beside, static_cast<double>(candidate.evidence), now);
  if (parent != kNone && is_falling(parent, now)) {  // a move
    add_wins(parent, candidate.evidence, now);
    take_nodes(lineage.living[parent].id, members, now.nodes);
    return;
  }
  const std::int64_t id = lineage.n_ids++;
  for (const std::int32_t k : {origin.inside, parent})
    if (k != kNone) restart_rate(lineage.living[k]);
  Event event{EventKind::kBorn, candidate.sample, sample, {}, {id}, origin.support};
  if (parent != kNone) {
    LivingCluster& other = lineage.living[parent];
    event.kind = EventKind::kSplit;
    event.before = {other.id};
    event.after = {other.id, id};
    if (other.rows < kYoungRows) other.settled = 0;
  }
  append(lineage, std::move(event));
  add_living({.id = id,
              .support = origin.support,
              .rows = origin.rows,
              .rate_won = static_cast<double>(candidate.evidence),
              .rate_of = static_cast<double>(sample - candidate.sample) +
                         static_cast<double>(sample - lineage.sample),
              .last_won = sample},
             now);
  take_nodes(id, members, now.nodes);
}

// Confirms the strongest cluster, since some cluster must have an id.
void name_strongest(Comparison& now) {
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    if (now.mapping.cluster[i] != kNone && now.nodes.cluster_id[i] != kNone) return;
  std::vector<double> support(now.mapping.n_clusters, 0.0);
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    if (now.mapping.cluster[i] != kNone) support[now.mapping.cluster[i]] += now.mapping.support[i];
  const auto strongest =
      static_cast<std::int32_t>(std::max_element(support.begin(), support.end()) - support.begin());
  NodeList members;
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    if (now.mapping.cluster[i] == strongest) members.push_back(i);
  confirm_birth({EventKind::kBorn, kNone, kNone, now.mapping.sample, 0}, origin_of(members, now),
                members, now);
}

// One cluster continues as part of another. The caller removes it from the living.
void join(const LivingCluster& ends, LivingCluster& stays, std::int64_t sample, Comparison& now) {
  append(now.lineage, {EventKind::kMerged,
                       sample,
                       now.mapping.sample,
                       {stays.id, ends.id},
                       {stays.id},
                       ends.support});
  restart_rate(stays);
  stays.rows += ends.rows;
  stays.support += ends.support;
  std::vector<std::int64_t>& ids = now.nodes.cluster_id;
  std::replace(ids.begin(), ids.end(), ends.id, stays.id);
}

void revive(LivingCluster& cluster, Comparison& now) {
  append(now.lineage, {EventKind::kRevived,
                       cluster.last_won,
                       now.mapping.sample,
                       {},
                       {cluster.id},
                       cluster.support});
  restart_rate(cluster);
  cluster.ended = 0;
  cluster.last_won = now.mapping.sample;
}

void die(LivingCluster& cluster, Comparison& now) {
  append(
      now.lineage,
      {EventKind::kDied, cluster.last_won, now.mapping.sample, {cluster.id}, {}, cluster.support});
  restart_rate(cluster);
}

}  // namespace

void confirm_births(Comparison& now) {
  std::vector<Candidate>& candidates = now.lineage.candidates;
  std::map<std::int64_t, NodeList> members;  // by candidate
  for (std::size_t i = 0; i < now.nodes.size(); ++i)
    if (now.nodes.candidate[i] != kNone) members[now.nodes.candidate[i]].push_back(i);
  std::size_t kept = 0;
  for (std::size_t at = 0; at < candidates.size(); ++at) {
    const Candidate candidate = candidates[at];
    if (candidate.kind == EventKind::kBorn && now.shown[at]) {
      const NodeList& own = members[candidate.first];
      const Origin origin = origin_of(own, now);
      const std::int64_t rows_around =
          origin.inside == kNone ? now.mapping.sample : now.lineage.living[origin.inside].rows;
      if (candidate.evidence >= enough(now.mapping, rows_around)) {
        confirm_birth(candidate, origin, own, now);
        continue;
      }
    }
    now.shown[kept] = now.shown[at];
    candidates[kept++] = candidate;
  }
  candidates.resize(kept);
  now.shown.resize(kept);
  name_strongest(now);
}

void end_silent(Comparison& now) {
  std::vector<LivingCluster>& living = now.lineage.living;
  std::vector<std::uint8_t> has_nodes(living.size(), 0);
  const LivingPositions position(living);
  for (const std::int64_t id : now.nodes.cluster_id)
    if (const std::int32_t k = position.of(id); k != kNone) has_nodes[k] = 1;
  for (std::size_t k = 0; k < living.size(); ++k) {
    LivingCluster& cluster = living[k];
    if (cluster.ended) {
      cluster.rate_won += static_cast<double>(now.won_by[k]);
      if (cluster.rate_won >= static_cast<double>(enough(now.mapping, cluster.rows)))
        revive(cluster, now);
    } else if (!has_nodes[k] || (now.mapping.fades && is_silent(k, now))) {
      cluster.ended = 1;
      const std::int32_t heir = heir_of(k, now);
      if (heir == kNone) {
        die(cluster, now);
        continue;
      }
      join(cluster, living[heir], cluster.last_won, now);
      has_nodes[k] = 0;
    }
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < living.size(); ++k)
    if (has_nodes[k] || !living[k].ended) living[kept++] = living[k];
  living.resize(kept);
}

void confirm_merges(Comparison& now) {
  std::vector<LivingCluster>& living = now.lineage.living;
  std::vector<Candidate>& candidates = now.lineage.candidates;
  const auto alive = [&](std::int64_t id) {
    const std::int32_t k = position_of(id, living);
    return k == kNone || living[k].ended ? kNone : k;
  };
  for (std::size_t at = 0; at < candidates.size();) {
    const Candidate candidate = candidates[at];
    const std::int32_t a = alive(candidate.first), b = alive(candidate.second);
    const bool both_live = a != kNone && b != kNone;
    if (candidate.kind != EventKind::kMerged ||
        (both_live &&
         (!now.shown[at] ||
          candidate.evidence < enough(now.mapping, std::min(living[a].rows, living[b].rows))))) {
      ++at;
      continue;
    }
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(at));
    now.shown.erase(now.shown.begin() + static_cast<std::ptrdiff_t>(at));
    if (!both_live) continue;
    const bool first_stays = living[a].support >= living[b].support;
    const LivingCluster ends = living[first_stays ? b : a];
    join(ends, living[first_stays ? a : b], candidate.sample, now);
    living.erase(living.begin() + (first_stays ? b : a));
  }
}

}  // namespace phida
