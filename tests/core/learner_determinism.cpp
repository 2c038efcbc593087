// The same stream gives the same bits in all circumstances.
#include <cmath>

#include "check.hpp"
#include "levels.hpp"
#include "streams.hpp"

using namespace phida;

namespace {

struct Case {
  Stream stream;
  Settings settings;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Stream& stream : {blobs(1, 1200, 5, 4), blobs(2, 1200, 9, 4, 1e6), binary(3, 600, 10)})
    for (const bool released : {false, true}) all.push_back({stream, {stream.dims, released, {}}});
  return all;
}

// Returns the FNV-1a hash of the bytes of all state that influences the next sample.
std::uint64_t hash_of(const LearnerState& s) {
  const NodeState& nodes = s.nodes;
  Words w;
  for (const RowMatrix* rows : {&nodes.representative, &nodes.mean, &nodes.m2}) w.add_rows(*rows);
  w.add_all(nodes.support);
  w.add_all(nodes.scale);
  w.add_all(nodes.active);
  w.add_all(nodes.birth);
  w.add_all(nodes.id);
  w.add_all(nodes.component);
  w.add(s.moments.count);
  w.add_all(s.moments.mean);
  w.add_all(s.moments.m2);
  w.add(s.samples.size());
  w.add(s.samples.kept());
  for (std::size_t age = 0; age < s.samples.size(); ++age)
    for (std::size_t j = 0; j < nodes.dims(); ++j) w.add(s.samples.recent(age)[j]);
  w.add(s.vigilance.interval);
  w.add(s.vigilance.threshold);
  w.add(s.vigilance.ratio);
  w.add(s.metric.present);
  if (s.metric.present) {
    w.add_all(s.metric.transform.center);
    w.add_all(s.metric.transform.inverse);
    w.add(s.metric.transform.gamma);
    w.add(s.metric.at_step);
    w.add_rows(s.transformed);
  }
  for (const auto count : {s.n_seen, s.n_created}) w.add(count);
  for (const auto count : {s.since_recalculation, s.since_refresh, s.n_components, s.n_clusters})
    w.add(count);
  w.add(s.has_map);
  w.add(s.ended);
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint64_t word : w.words)
    for (int byte = 0; byte < 8; ++byte, word >>= 8) hash = (hash ^ (word & 0xff)) * 0x100000001b3u;
  return hash;
}

}  // namespace

// Constants compare machines of different kinds. They change with the order of a sum: was that intended?
TEST("learner: same bits on every machine") {
  Stream even = blobs(1, 2000, 5, 4), uneven = blobs(2, 2000, 9, 4);
  for (std::size_t i = 0; i < uneven.values.size(); ++i)
    uneven.values[i] = std::ldexp(uneven.values[i], static_cast<int>(i % 9) * 2);
  const struct {
    const Stream& stream;
    bool released;
    std::uint64_t expected;
  } golden[] = {{even, false, 0x051ad5fbaca00fb3u},
                {even, true, 0x7d20a14b22166a6fu},
                {uneven, false, 0x04ceadcf559c8178u},
                {uneven, true, 0xebf66020a669d828u}};
  for (const auto& [stream, released, expected] : golden) {
    const Learner learner = learner_of(stream, {stream.dims, released, {}});
    const std::uint64_t got = hash_of(learner.state());
    CHECK(got == expected);
    if (got != expected) std::printf("  got 0x%016llx\n", static_cast<unsigned long long>(got));
  }
}

TEST("learner: every instruction set level gives the same bits") {
  const LevelGuard guard;
  for (const Case& c : cases()) {
    use_kernels("baseline");
    const auto expected = words_of(learner_of(c.stream, c.settings).state());
    for_each_level([&](const Kernels& k) {
      use_kernels(k.level);
      Learner learner = learner_of(c.stream, c.settings);
      CHECK(words_of(learner.state()) == expected);
    });
  }
}
