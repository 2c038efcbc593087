// Scripted sequences of mappings give exactly the events that they tell.
#include "lineage/lineage.hpp"

#include <algorithm>
#include <set>

#include "check.hpp"
#include "mappings.hpp"
#include "random.hpp"

using namespace phida;

TEST("lineage: the first mapping is all births, and the same one again is nothing") {
  Script script({1, 2, 3});
  CHECK(script.map("aab") == "born >0; born >1");
  CHECK(script.map("aab") == "");
  CHECK(script.map("bba") == "");  // labels are not identities
}

TEST("lineage: a node that changes sides is no event") {
  Script script({5, 1, 5});
  script.map("aab");
  CHECK(script.map("abb") == "");
}

TEST("lineage: a split, in which the larger part keeps the id") {
  Script script({2, 9, 4});
  script.map("aaa");
  CHECK(script.map("aba") == "split 0>0,1");
  CHECK(script.lineage.events.back().support == 6.0);
  CHECK(script.nodes.cluster_id == (std::vector<std::int64_t>{1, 0, 1}));
}

TEST("lineage: a merge, of which the larger one's id remains") {
  Script script({2, 9, 4});
  script.map("abc");
  CHECK(script.map("aab") == "merged 1,0>1");
  CHECK(script.lineage.events.back().support == 2.0);
  CHECK(script.map("aaa") == "merged 1,2>1");
}

TEST("lineage: several at once are one event each") {
  Script script({5, 4, 3, 9, 2, 1});
  script.map("abcddd");
  CHECK(script.map("aaabcd") == "merged 0,1,2>0; split 3>3,4,5");
}

TEST("lineage: a cluster whose nodes are gone dies, and a new place is a birth") {
  Script script({5, 4, 3});
  script.map("ab.");
  script.remove(0);
  CHECK(script.map("ab") == "died 0>; born >2");
  CHECK(script.lineage.events[script.lineage.events.size() - 2].support == 5.0);
}

TEST("lineage: a cluster that leaves the map and comes back is revived") {
  Script script({5, 4, 3});
  script.map("abb");
  CHECK(script.map(".aa") == "died 0>");
  CHECK(script.map(".aa") == "");
  CHECK(script.map("abb") == "revived >0");
}

TEST("lineage: a cluster that was merged and splits off again is revived out of the other") {
  Script script({9, 5, 4});
  script.map("abb");
  CHECK(script.map("aaa") == "merged 0,1>0");
  CHECK(script.map("abb") == "revived 0>1");
  CHECK(script.map("aaa") == "merged 0,1>0");
  CHECK(script.map("aab") == "revived 0>1");  // most of it was cluster 1
  CHECK(script.ids() == (std::vector<std::int64_t>{0, 1}));
}

TEST("lineage: what was merged long ago is a new cluster when it splits off") {
  Script script({9, 5, 4});
  script.map("abb");
  script.map("aaa");
  for (int i = 1; i < kRefreshesRemembered; ++i) CHECK(script.map("aaa") == "");
  Script sooner = script;
  CHECK(sooner.map("abb") == "revived 0>1");
  CHECK(script.map("aaa") == "");
  CHECK(script.map("abb") == "split 0>0,2");
}

TEST("lineage: a cluster is not revived by less than half of it") {
  Script script({9, 2, 9, 9});
  script.map("ab..");
  CHECK(script.map("aa..") == "merged 0,1>0");
  CHECK(script.map("abb.") == "split 0>0,2");  // most of it was in no cluster before
}

TEST("lineage: two parts of one that was merged: one is revived, the other is new") {
  Script script({9, 5, 4});
  script.map("abb");
  script.map("aaa");
  CHECK(script.map("abc") == "split 0>0,2; revived 0>1");
}

TEST("lineage: clusters that cross over keep their ids") {
  Script script({9, 9, 1, 1});
  script.map("aabb");
  CHECK(script.map("abab") == "");
}

// Every id that was living goes on or ends in one event; every id that was not begins in one event; none is reused.
TEST("lineage: random mappings balance") {
  Random random(3);
  for (int run = 0; run < 50; ++run) {
    std::vector<double> supports;
    for (int i = 0; i < 12; ++i) supports.push_back(1 + random.below(9));
    Script script(supports);
    std::set<std::int64_t> given;
    for (int step = 0; step < 40; ++step) {
      std::string letters, names;
      for (std::size_t i = 0; i < script.nodes.size(); ++i) {
        const char letter = static_cast<char>('a' + random.below(5));
        const bool outside = random.below(6) == 0;
        // Labels are dense: letters in the order in which they come up.
        if (!outside && names.find(letter) == std::string::npos) names += letter;
        letters += outside ? '.' : static_cast<char>('a' + names.find(letter));
      }
      const std::vector<std::int64_t> before = script.ids();
      const auto first = script.told;
      script.map(letters);
      std::multiset<std::int64_t> begun, ended;
      for (auto e = first; e < script.told; ++e) {
        const Event& event = script.lineage.events[static_cast<std::size_t>(e)];
        const bool starts = event.kind == EventKind::kBorn || event.kind == EventKind::kRevived;
        const std::size_t new_from = starts ? 0 : 1;
        if (event.kind == EventKind::kMerged) {
          ended.insert(event.before.begin() + 1, event.before.end());
          CHECK(event.after == (std::vector<std::int64_t>{event.before[0]}));
        } else if (event.kind == EventKind::kDied) {
          ended.insert(event.before[0]);
        } else {
          begun.insert(event.after.begin() + static_cast<std::ptrdiff_t>(new_from),
                       event.after.end());
          for (const std::int64_t id : begun)
            CHECK(event.kind == EventKind::kRevived || id < script.lineage.n_ids);
        }
        if (event.kind == EventKind::kBorn || event.kind == EventKind::kSplit)
          for (std::size_t k = new_from; k < event.after.size(); ++k)
            CHECK(given.insert(event.after[k]).second);
        CHECK(event.support > 0.0);
      }
      std::multiset<std::int64_t> expected_ended, expected_begun;
      const std::vector<std::int64_t> after = script.ids();
      for (const std::int64_t id : before)
        if (!std::binary_search(after.begin(), after.end(), id)) expected_ended.insert(id);
      for (const std::int64_t id : after)
        if (!std::binary_search(before.begin(), before.end(), id)) expected_begun.insert(id);
      CHECK(ended == expected_ended);
      CHECK(begun == expected_begun);
    }
  }
}

TEST("lineage: the oldest events go, and are counted") {
  Script script({2, 1});
  const int flips = 2000;
  for (int i = 0; i < flips; ++i) script.map(i % 2 ? "aa" : "ab");
  const Lineage& lineage = script.lineage;
  CHECK(lineage.events.size() == kMostEvents);
  // Two births, then a merge or a revival each time.
  CHECK(lineage.n_dropped == 2 + (flips - 1) - static_cast<std::int64_t>(kMostEvents));
  CHECK(lineage.n_ids == 2);
  std::size_t ids = 0;
  for (const Event& event : lineage.events) ids += event.before.size() + event.after.size();
  CHECK(ids == lineage.n_event_ids);
}
