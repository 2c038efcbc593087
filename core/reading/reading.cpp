#include "reading/reading.hpp"

#include <stdexcept>

namespace phida {
namespace {

// A cluster that no refresh has seen has the id that a refresh would give it now.
std::vector<std::int64_t> ids_of(const Reading& reading) {
  Succession succession;
  SuccessionFinder().find(reading.nodes, reading.cluster, reading.map.n_clusters(), reading.living,
                          succession);
  std::int64_t next = reading.n_ids;
  for (std::int64_t& id : succession.id)
    if (id == kNone) id = next++;
  return succession.id;
}

void finish_map(Reading& reading) {
  reading.map.clusters(reading.cluster);
  reading.view =
      make_view(reading.nodes.representative, reading.nodes.support, reading.cluster, reading.map);
  reading.cluster_id = ids_of(reading);
}

}  // namespace

void finish(Reading& reading, Rule rule, ColumnQuartiles& quartiles) {
  map_nodes(reading.nodes, reading.ph, rule, reading.unit, quartiles, reading.flow, reading.map);
  finish_map(reading);
}

std::vector<Merge> all_merges(const Reading& reading) {
  return reading.map.complete ? reading.map.merges : all_merges(reading.ph);
}

std::shared_ptr<const Reading> at_level(const Reading& reading, std::size_t level) {
  Reading cut = reading;
  cut.map.merges = all_merges(reading);
  cut.map.complete = true;
  if (level > cut.map.merges.size()) throw std::invalid_argument("there are not so many merges");
  cut.map.level = level;
  finish_map(cut);
  return std::make_shared<const Reading>(std::move(cut));
}

}  // namespace phida
