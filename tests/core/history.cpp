// The history stays short and evenly spaced.
#include "lineage/history.hpp"

#include "check.hpp"

using namespace phida;

TEST("history: entries stay within the limit, evenly spaced from the beginning") {
  History history;
  for (std::int64_t i = 0; i < 100000; ++i) {
    history.append({.sample = i});
    CHECK(history.milestones.size() <= kMostMilestones);
  }
  CHECK(history.n_refreshes == 100000);
  CHECK(history.milestones.size() > kMostMilestones / 2 - 1);
  for (std::size_t i = 0; i < history.milestones.size(); ++i)
    CHECK(history.milestones[i].sample == static_cast<std::int64_t>(i) * history.stride);
}
