// Scripted sequences of mappings: which events are confirmed, when, and which are not.
#include "lineage/tracker.hpp"

#include <set>

#include "check.hpp"
#include "mappings.hpp"
#include "random.hpp"

using namespace phida;

namespace {

using Ids = std::vector<std::int64_t>;

// Two clusters of two nodes each with many wins.
Script two_clusters() {
  Script script(4);
  CHECK(script.map("aabb", "9999") == "born >0; born >1");
  for (int i = 0; i < 300; ++i) CHECK(script.map("aabb", "9999") == "");
  return script;
}

}  // namespace

TEST("tracker: the first clusters are confirmed at once, and ids differ from labels") {
  Script script(3);
  CHECK(script.map("aab", "555") == "born >0; born >1");
  CHECK(script.map("aab", "555") == "");
  CHECK(script.map("bba", "555") == "");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 1}));
}

TEST("tracker: the strongest cluster is confirmed even with few wins") {
  Script script(3);
  CHECK(script.map("abb", "000") == "born >0");
  CHECK(script.nodes.cluster_id == (Ids{kNone, 0, 0}));
}

TEST("tracker: fifty samples of a part confirm a split, dated to its first sight") {
  Script script = two_clusters();
  const std::int64_t before = script.sample;
  for (int i = 0; i < 5; ++i) CHECK(script.map("abcc", "9999") == "");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 1, 1}));  // ids do not change before
  CHECK(script.lineage.candidates.size() == 1);
  CHECK(script.map("abcc", "9999") == "split 0>0,2");
  const Event& event = script.lineage.events.back();
  CHECK(event.sample == before + 36);
  CHECK(event.confirmed == script.sample);
  CHECK(script.lineage.candidates.empty());
}

TEST("tracker: a change seen in only half of the mappings is never confirmed") {
  Script script = two_clusters();
  for (int i = 0; i < 500; ++i) {
    CHECK(script.map(i % 2 ? "aabb" : "abcc", "9999") == "");
    CHECK(script.map(i % 2 ? "aabb" : "aaaa", "9999") == "");
  }
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 1, 1}));
}

TEST("tracker: fifty samples of both confirm a merge, which keeps the stronger one's id") {
  Script script = two_clusters();
  for (int i = 0; i < 4; ++i) CHECK(script.map("aaaa", "8855") == "");
  CHECK(script.map("aaaa", "8855") == "merged 0,1>0");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 0, 0}));
  CHECK(script.ids() == (Ids{0}));
}

TEST("tracker: samples of only one cluster confirm no merge") {
  Script script = two_clusters();
  for (int i = 0; i < 50; ++i) CHECK(script.map("aaaa", "9900") == "");
}

TEST("tracker: new nodes next to a cluster that still wins are born") {
  Script script = two_clusters();
  script.add(1);
  script.add(1);
  std::string told;
  int steps = 0;
  while (told.empty() && ++steps < 20) told = script.map("aabbcc", "999999");
  CHECK(told == "born >2");
  CHECK(steps == 3);
}

TEST("tracker: with half-life, new nodes next to a cluster that stopped winning continue it") {
  Script script = two_clusters();
  script.fades = true;
  script.add(1);
  script.add(1);
  for (int i = 0; i < 20; ++i) CHECK(script.map("aabbcc", "990099") == "");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 1, 1, 1, 1}));
}

TEST("tracker: without half-life, such nodes are a new cluster") {
  Script script = two_clusters();
  script.add(1);
  script.add(1);
  std::string told;
  for (int i = 0; i < 20 && told.empty(); ++i) told = script.map("aabbcc", "990099");
  CHECK(told == "born >2");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 1, 1, 2, 2}));
}

TEST("tracker: a distant new cluster that takes over wins is a split") {
  for (const bool loses : {false, true}) {
    Script script(10);
    for (int i = 0; i < 300; ++i) script.map("aabbccddee", "9999999999");
    script.add(kNone);
    script.add(kNone);
    std::string told;
    while (told.empty() && script.sample < 100000)
      told = script.map("aabbccddeeff", loses ? "994499999944" : "999999999944");
    CHECK(told == (loses ? "split 1>1,5" : "born >5"));
  }
}

TEST("tracker: a cluster without samples is silent, and dies only with half-life") {
  for (const bool fades : {false, true}) {
    Script script = two_clusters();
    script.fades = fades;
    std::string told;
    for (int i = 0; i < 20 && told.empty(); ++i) told = script.map("aabb", "9900");
    CHECK(told == (fades ? "died 1>" : ""));
    CHECK(fades || script.lineage.living[1].missed >= kSilentEvidence);
    CHECK(script.nodes.cluster_id == (Ids{0, 0, 1, 1}));
    if (!fades) continue;
    while (told == "died 1>" || told.empty()) told = script.map("aabb", "9999");
    CHECK(told == "revived >1");
  }
}

TEST("tracker: a silent cluster inside a stronger one has merged into it") {
  Script script = two_clusters();
  script.fades = true;
  std::string told;
  for (int i = 0; i < 20 && told.empty(); ++i) told = script.map("aaaa", "9900", 2);
  CHECK(told == "merged 0,1>0");
  CHECK(script.nodes.cluster_id == (Ids{0, 0, 0, 0}));
}

TEST("tracker: a cluster whose nodes were removed dies") {
  Script script = two_clusters();
  script.remove(3);
  script.remove(2);
  CHECK(script.map("aa", "99") == "died 1>");
  CHECK(script.ids() == (Ids{0}));
}

TEST("tracker: a node changes its cluster after twenty wins there") {
  Script script = two_clusters();
  for (int i = 0; i < 4; ++i) CHECK(script.map("abbb", "9599") == "");
  CHECK(script.nodes.cluster_id == (Ids{0, 1, 1, 1}));
}

TEST("tracker: a certain mapping is confirmed at once") {
  Script script = two_clusters();
  script.certain = true;
  CHECK(script.map("abcc", "0000") == "split 0>0,2");
  script.map("aaaa", "0000");
  CHECK(script.ids().size() == 1);
}

// For any mappings: nodes have living ids, ids are never reused, and events account for every id.
TEST("tracker: events of random mappings account for every id") {
  Random random(3);
  for (int run = 0; run < 60; ++run) {
    Script script(12);
    script.fades = run % 2;
    std::set<std::int64_t> alive, given;
    for (int step = 0; step < 60; ++step) {
      std::string letters, names, wins;
      for (std::size_t i = 0; i < script.nodes.size(); ++i) {
        // Mostly unchanged, so that some clusters persist.
        const char letter =
            static_cast<char>('a' + (i / 3 + (random.below(4) == 0 ? random.below(3) : 0)) % 5);
        const bool outside = random.below(12) == 0;
        if (!outside && names.find(letter) == std::string::npos) names += letter;
        letters += outside ? '.' : static_cast<char>('a' + names.find(letter));
        wins += static_cast<char>('0' + (random.below(3) == 0 ? 0 : random.below(10)));
      }
      script.certain = random.below(20) == 0;
      const std::int64_t first = script.told;
      script.map(letters, wins);
      for (std::int64_t e = first; e < script.told; ++e) {
        const Event& event = script.lineage.events[static_cast<std::size_t>(e)];
        CHECK(event.sample <= event.confirmed);
        for (const std::int64_t id : event.before) CHECK(alive.count(id) == 1);
        if (event.kind == EventKind::kDied) alive.erase(event.before[0]);
        if (event.kind == EventKind::kMerged) alive.erase(event.before[1]);
        if (event.kind == EventKind::kBorn || event.kind == EventKind::kSplit)
          CHECK(given.insert(event.after.back()).second);
        alive.insert(event.after.begin(), event.after.end());
      }
      std::set<std::int64_t> living;
      for (const LivingCluster& cluster : script.lineage.living)
        if (!cluster.ended) living.insert(cluster.id);
      CHECK(living == alive);
      for (const std::int64_t id : script.nodes.cluster_id)
        CHECK(id == kNone || position_of(id, script.lineage.living) != kNone);
      for (const Candidate& candidate : script.lineage.candidates) CHECK(candidate.evidence >= 0);
    }
  }
}

TEST("lineage: the oldest events are dropped and counted") {
  Lineage lineage;
  for (int i = 0; i < 2000; ++i) append(lineage, {EventKind::kMerged, i, i, {0, 1}, {0}, 1.0});
  CHECK(lineage.events.size() == kMostEvents);
  CHECK(lineage.n_dropped == 2000 - static_cast<std::int64_t>(kMostEvents));
  CHECK(lineage.n_event_ids == 3 * kMostEvents);
}
