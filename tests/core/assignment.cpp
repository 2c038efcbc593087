#include "assignment/assign.hpp"

#include <algorithm>

#include "check.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

struct Model {
  RowMatrix rows;
  std::vector<double> support;
  std::vector<std::int32_t> members, cluster;
  std::size_t n_clusters;
  Scoring scoring = Scoring::kPublished;

  Model(Random& random, std::size_t n, std::size_t dims, std::size_t clusters)
      : rows(random.rows(n, dims)), n_clusters(clusters) {
    for (std::size_t i = 0; i < n; ++i) {
      support.push_back(static_cast<double>(1 + random.below(9)));
      if (i >= clusters && random.below(5) == 0) continue;  // leaves some nodes outside the map
      members.push_back(static_cast<std::int32_t>(i));
      cluster.push_back(static_cast<std::int32_t>(i < clusters ? i : random.below(clusters)));
    }
  }
  AssignmentView view() const {
    NodeMap map;
    map.n_leaves = n_clusters;
    map.transform = fitted(rows, members);
    map.scoring = scoring;
    std::vector<std::int32_t> of_node(rows.rows(), -1);
    for (std::size_t i = 0; i < members.size(); ++i) of_node[members[i]] = cluster[i];
    return make_view(rows, support, of_node, map.n_clusters(), map);
  }
};

}  // namespace

TEST("assignment: labels by the nearest of many nodes equal a plain search") {
  Random random(11);
  for (const std::size_t dims : {1, 3, 16, 50, 130})
    for (const bool ties : {false, true}) {
      Model m(random, 6000 / dims + 200, dims, 9);
      m.scoring = Scoring::kNearest;
      if (ties) m.rows = random.grid(m.rows.rows(), dims, 3);
      const AssignmentView view = m.view();
      CHECK(view.grid.is_laid());
      RowMatrix mapped(dims);
      for (const std::int32_t member : m.members) mapped.append(m.rows[member]);
      // Queries near the nodes, on them, at equal distances, and beyond the grid.
      RowMatrix queries = ties ? random.grid(60, dims, 3) : random.rows(60, dims);
      for (std::size_t q = 0; q < 60; q += 3) std::copy_n(m.rows[q], dims, queries[q]);
      for (std::size_t q = 50; q < 60; ++q) queries[q][0] *= 1e6;
      std::vector<double> samples;
      for (std::size_t q = 0; q < 60; ++q)
        samples.insert(samples.end(), queries[q], queries[q] + dims);
      std::vector<std::int64_t> labels(60);
      std::vector<double> squares(60);
      Assigner(view).labels(samples.data(), 60, labels.data());
      Assigner(view).nearest_squares(samples.data(), 60, squares.data());
      for (std::size_t q = 0; q < 60; ++q) {
        const auto [best, least] =
            plain::nearest(queries[q], mapped, view.transform.inverse.data());
        CHECK(labels[q] == m.cluster[best] && plain::same_bits(squares[q], least));
      }
    }
}

TEST("assignment: many samples in any number of threads equal single samples") {
  Random random(3);
  Model m(random, 60, 20, 6);
  for (const Scoring scoring : {Scoring::kPublished, Scoring::kNearest}) {
    m.scoring = scoring;
    const AssignmentView view = m.view();
    Assigner one(view);
    for (const std::size_t n : {0, 1, 3, 4, 5, 7, 8, 9, 20, 4000}) {  // 4000: several threads
      const AlignedDoubles x = random.values(n * 20, -2.0, 2.0);
      std::vector<std::int64_t> labels(n), expected(n);
      std::vector<double> scores(n * 6), expected_scores(n * 6);
      for (std::size_t i = 0; i < n; ++i) {
        expected[i] = one.label(x.data() + i * 20);
        one.scores(x.data() + i * 20, 1, expected_scores.data() + i * 6);
      }
      for (const std::size_t threads : {1, 2, 3, 16}) {
        assign(view, x.data(), n, threads, [] { return true; }, labels.data());
        score(view, x.data(), n, threads, [] { return true; }, scores.data());
        CHECK(labels == expected && scores == expected_scores);
      }
    }
  }
}

TEST("assignment: ends early if go_on returns false") {
  Random random(5);
  const Model m(random, 60, 200, 6);
  const AssignmentView view = m.view();
  const std::size_t n = 40000;  // large enough for a call of go_on
  const AlignedDoubles x = random.values(n * 200, -2.0, 2.0);
  std::vector<std::int64_t> labels(n);
  std::size_t asked = 0;
  CHECK(!assign(view, x.data(), n, 1, [&] { return ++asked < 2; }, labels.data()));
  CHECK(asked == 2);
  asked = 0;  // the other thread may do so much that go_on is never called
  const bool whole = assign(view, x.data(), n, 2, [&] { return ++asked < 1; }, labels.data());
  CHECK(whole == (asked == 0) && asked < 2);
}
