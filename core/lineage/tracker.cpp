#include "lineage/tracker.hpp"

#include "lineage/candidates.hpp"
#include "lineage/confirmation.hpp"
#include "lineage/rates.hpp"

namespace phida {

void Tracker::update(const Mapping& mapping, LineageColumns& nodes, Lineage& lineage) {
  Comparison now(mapping, nodes, lineage);
  update_rates(now);
  find_main(now);
  follow_moves(now);
  follow_new_nodes(now);
  look_for_merges(now);
  look_for_births(now);
  drop_candidates(now);
  settle_nodes(now);
  confirm_births(now);  // before clusters that have moved end
  end_silent(now);
  confirm_merges(now);
  for (LivingCluster& cluster : lineage.living) cluster.support = 0.0;
  const LivingPositions position(lineage.living);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!now.waits(i)) nodes.won_mapped[i] = nodes.won[i];
    if (const std::int32_t k = position.of(nodes.cluster_id[i]); k != kNone)
      lineage.living[k].support += mapping.support[i];
  }
  lineage.sample = mapping.sample;
}

}  // namespace phida
