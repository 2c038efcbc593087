#include "lineage/lineage.hpp"

#include <algorithm>

namespace phida {
namespace {

constexpr std::int64_t kMostIdsInTable = 4096;

}  // namespace

void append(Lineage& lineage, Event event) {
  const auto ids_in = [](const Event& e) { return e.before.size() + e.after.size(); };
  lineage.n_event_ids += ids_in(event);
  lineage.events.push_back(std::move(event));
  while (lineage.events.size() > kMostEvents || lineage.n_event_ids > kMostEventIds) {
    lineage.n_event_ids -= ids_in(lineage.events.front());
    lineage.events.pop_front();
    ++lineage.n_dropped;
  }
}

std::int32_t position_of(std::int64_t id, std::span<const LivingCluster> living) {
  const auto at = std::lower_bound(
      living.begin(), living.end(), id,
      [](const LivingCluster& cluster, std::int64_t wanted) { return cluster.id < wanted; });
  if (at == living.end() || at->id != id) return kNone;
  return static_cast<std::int32_t>(at - living.begin());
}

LivingPositions::LivingPositions(std::span<const LivingCluster> living) : living_(living) {
  if (living.empty()) return;
  first_ = living.front().id;
  const std::int64_t ids = living.back().id - first_ + 1;
  if (ids > kMostIdsInTable) return;
  at_.assign(static_cast<std::size_t>(ids), kNone);
  for (std::size_t k = 0; k < living.size(); ++k)
    at_[static_cast<std::size_t>(living[k].id - first_)] = static_cast<std::int32_t>(k);
}

}  // namespace phida
