// Growth of a learner: its size at every n-th refresh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace phida {

struct Milestone {
  std::int64_t sample = 0;  // samples learned
  std::size_t n_nodes = 0;
  std::size_t n_components = 0;
  std::size_t n_clusters = 0;
  double vigilance = 0.0;
  std::size_t interval = 0;
};

// At this number of milestones, every second one is removed, and later ones are set half as often.
constexpr std::size_t kMostMilestones = 512;

struct History {
  std::vector<Milestone> milestones;
  std::int64_t n_refreshes = 0;
  std::int64_t stride = 1;  // refreshes from one milestone to the next

  void append(const Milestone& milestone) {
    if (n_refreshes++ % stride != 0) return;
    if (milestones.size() == kMostMilestones) {
      for (std::size_t i = 0; i < kMostMilestones / 2; ++i) milestones[i] = milestones[2 * i];
      milestones.resize(kMostMilestones / 2);
      stride *= 2;
    }
    milestones.push_back(milestone);
  }
};

}  // namespace phida
