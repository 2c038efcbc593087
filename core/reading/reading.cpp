#include "reading/reading.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "assignment/assign.hpp"
#include "lineage/tracker.hpp"

namespace phida {
namespace {

// Per cluster, the id that most of its support has, or kNone.
std::vector<std::int64_t> most_common_ids(const Reading& reading) {
  struct Share {
    std::int64_t id;
    double support;
  };
  std::vector<std::vector<Share>> shares(reading.map.n_clusters());
  for (std::size_t i = 0; i < reading.cluster.size(); ++i) {
    const std::int64_t id = reading.nodes.lineage.cluster_id[i];
    if (reading.cluster[i] == kNone || id == kNone) continue;
    std::vector<Share>& in = shares[reading.cluster[i]];
    const auto same =
        std::find_if(in.begin(), in.end(), [&](const Share& s) { return s.id == id; });
    if (same == in.end())
      in.push_back({id, reading.nodes.support[i]});
    else
      same->support += reading.nodes.support[i];
  }
  std::vector<std::int64_t> ids;
  for (const std::vector<Share>& in : shares) {
    Share most{kNone, 0.0};
    for (const Share& share : in)
      if (share.support > most.support || (share.support == most.support && share.id < most.id))
        most = share;
    ids.push_back(most.id);
  }
  return ids;
}

// Nodes that no mapping has seen yet are in the confirmed cluster that most of their cluster is in.
void find_confirmed(Reading& reading) {
  const std::vector<std::int64_t> common = most_common_ids(reading);
  const std::size_t n = reading.nodes.size();
  std::vector<std::int64_t> id(n, kNone);
  for (std::size_t i = 0; i < n; ++i) {
    if (reading.cluster[i] == kNone) continue;
    id[i] = reading.nodes.lineage.cluster_id[i] != kNone ? reading.nodes.lineage.cluster_id[i]
                                                         : common[reading.cluster[i]];
  }
  reading.ids.clear();
  std::copy_if(id.begin(), id.end(), std::back_inserter(reading.ids),
               [](std::int64_t i) { return i != kNone; });
  std::sort(reading.ids.begin(), reading.ids.end());
  reading.ids.erase(std::unique(reading.ids.begin(), reading.ids.end()), reading.ids.end());
  reading.confirmed.assign(n, kNone);
  for (std::size_t i = 0; i < n; ++i)
    if (id[i] != kNone)
      reading.confirmed[i] = static_cast<std::int32_t>(
          std::lower_bound(reading.ids.begin(), reading.ids.end(), id[i]) - reading.ids.begin());
  reading.confirmed_view = make_view(reading.nodes.representative, reading.nodes.support,
                                     reading.confirmed, reading.ids.size(), reading.map);
  reading.cluster_id = common;
}

// What is new and not confirmed belongs to the confirmed cluster that is nearest to its strongest node.
void name_new_clusters(Reading& reading) {
  for (std::size_t c = 0; c < reading.cluster_id.size(); ++c) {
    if (reading.cluster_id[c] != kNone) continue;
    std::size_t strongest = reading.nodes.size();
    for (std::size_t i = 0; i < reading.nodes.size(); ++i)
      if (reading.cluster[i] == static_cast<std::int32_t>(c) &&
          (strongest == reading.nodes.size() ||
           reading.nodes.support[i] > reading.nodes.support[strongest]))
        strongest = i;
    Assigner assigner(reading.confirmed_view);
    reading.cluster_id[c] = reading.ids[assigner.label(reading.nodes.representative[strongest])];
  }
}

// The nodes in the metric.
RowMatrix places(const Reading& reading) {
  RowMatrix place = reading.nodes.representative;
  if (const double* const scaling = reading.map.transform.scaling())
    for (std::size_t i = 0; i < place.rows(); ++i)
      for (std::size_t j = 0; j < place.cols(); ++j) place[i][j] *= scaling[j];
  return place;
}

}  // namespace

void finish(Reading& reading) {
  reading.map.clusters(reading.cluster);
  reading.view = make_view(reading.nodes.representative, reading.nodes.support, reading.cluster,
                           reading.map.n_clusters(), reading.map);
  find_confirmed(reading);
  if (reading.ids.empty()) {  // before the first mapping, or where no node is left that had an id
    Tracker().update({.cluster = reading.cluster,
                      .n_clusters = reading.map.n_clusters(),
                      .support = reading.nodes.support,
                      .sample = reading.lineage.sample,
                      .certain = true},
                     reading.nodes.lineage, reading.lineage);
    find_confirmed(reading);
  }
  name_new_clusters(reading);
}

std::vector<Merge> all_merges(const Reading& reading) {
  if (reading.map.complete) return reading.map.merges;
  return reading.map.leaves == Leaf::kComponent ? all_merges(reading.ph)
                                                : all_merges(reading.map, places(reading));
}

std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level) {
  Reading cut = reading;
  cut.map.merges = all_merges(reading);
  cut.map.complete = true;
  if (level > cut.map.merges.size()) throw std::invalid_argument("there are not so many merges");
  cut.map.level = level;
  cut.density.prominence.resize(cut.map.merges.size(), std::numeric_limits<double>::infinity());
  cut.density.chance.resize(cut.map.merges.size(), 0.0);
  finish(cut);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
