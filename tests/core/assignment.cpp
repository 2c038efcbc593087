#include "assignment/assign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

// The scores h_c of spec section 9.
std::vector<double> plain_scores(const Model& m, const double* x) {
  const FeatureTransform t = fitted(m.rows, m.members);
  std::vector<double> total(m.n_clusters, 0.0), scores;
  double all = 0.0, q = 0.0;
  for (std::size_t i = 0; i < m.members.size(); ++i) {
    total[m.cluster[i]] += m.support[m.members[i]];
    all += m.support[m.members[i]];
  }
  for (const double s : total) q += s / all * s / all;
  for (std::size_t c = 0; c < m.n_clusters; ++c) {
    std::vector<std::pair<double, double>> near;
    for (std::size_t i = 0; i < m.members.size(); ++i)
      if (m.cluster[i] == static_cast<std::int32_t>(c))
        near.emplace_back(
            std::sqrt(plain::square(x, m.rows[m.members[i]], t.inverse.data(), m.rows.cols())),
            m.support[m.members[i]]);
    std::sort(near.begin(), near.end());
    if (near.size() == 1) {
      scores.push_back(near[0].first * near[0].first);
      continue;
    }
    double reached = 0.0, d_q = near.back().first;
    for (const auto& [distance, support] : near) {
      reached += support;
      if (reached >= q * total[c] * (1 - 1e-15)) {
        d_q = distance;
        break;
      }
    }
    scores.push_back(near[0].first + d_q);
  }
  return scores;
}

Model on_a_line(std::vector<double> xs, std::vector<double> support,
                std::vector<std::int32_t> cluster, std::size_t clusters) {
  Random random(0);
  Model m(random, 1, 1, 1);
  m.rows = RowMatrix(1);
  for (const double x : xs) m.rows.append(&x);
  m.support = std::move(support);
  m.members = plain::first(xs.size());
  m.cluster = std::move(cluster);
  m.n_clusters = clusters;
  return m;
}

}  // namespace

TEST("assignment: a view lists nodes by cluster, ascending in each") {
  const Model m = on_a_line({0, 1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 0, 1, 0, 1}, 2);
  const AssignmentView view = m.view();
  CHECK(view.member == std::vector<std::int32_t>{1, 3, 0, 2, 4});
  CHECK(view.first == std::vector<std::int32_t>{0, 2, 5});
  CHECK(view.support == (std::vector<double>{2, 4, 1, 3, 5}));
  CHECK(view.cluster_support == (std::vector<double>{6, 9}));
  CHECK_CLOSE(view.concentration, 0.16 + 0.36, 1e-15);
}

TEST("assignment: one node scores its squared distance, more nodes the nearest plus the q-th") {
  const Model m = on_a_line({0, 10, 11}, {1, 1, 1}, {0, 1, 1}, 2);
  const AssignmentView view = m.view();
  double x = 3.0, scores[2];
  Assigner(view).scores(&x, 1, scores);
  CHECK(scores[0] == 9.0);
  CHECK(scores[1] == 7.0 + 8.0);  // q = 1/9 + 4/9: half of the support is too little
}

TEST("assignment: the nearest node decides; of equals, the lower index") {
  Model m = on_a_line({4, 0, 2}, {1, 1, 1}, {0, 1, 0}, 2);
  m.scoring = Scoring::kNearest;
  const AssignmentView view = m.view();
  double scores[2];
  const auto label = [&](double x) {
    const std::vector<double> eight(8, x);
    std::vector<std::int64_t> labels(8);
    Assigner(view).labels(eight.data(), 8, labels.data());
    CHECK(std::count(labels.begin(), labels.end(), Assigner(view).label(&x)) == 8);
    return labels[0];
  };
  double x = 1.5;
  Assigner(view).scores(&x, 1, scores);
  CHECK(scores[0] == 0.5 && scores[1] == 1.5);
  CHECK(label(1.5) == 0 && label(0.5) == 1);
  CHECK(label(1.0) == 1);  // node 1 before node 2, though its label is higher
}

TEST("assignment: labels by the nearest of many nodes equal a plain search") {
  Random random(11);
  for (const std::size_t dims : {1, 3, 16, 50, 130})
    for (const bool ties : {false, true}) {
      Model m(random, 6000 / dims + 200, dims, 9);
      m.scoring = Scoring::kNearest;
      if (ties) m.rows = random.grid(m.rows.rows(), dims, 3);
      const AssignmentView view = m.view();
      CHECK(view.grid.is_laid());
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
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < m.members.size(); ++i) {
          const double square =
              plain::square(queries[q], m.rows[m.members[i]], view.transform.inverse.data(), dims);
          if (square >= least) continue;
          least = square;
          best = i;
        }
        CHECK(labels[q] == m.cluster[best]);
        CHECK(plain::same_bits(squares[q], least));
      }
    }
}

TEST("assignment: one cluster gets every sample") {
  const Model m = on_a_line({0, 1}, {1, 1}, {0, 0}, 1);
  const AssignmentView view = m.view();
  double x = 1e9;
  CHECK(Assigner(view).label(&x) == 0);
}

TEST("assignment: equal scores go to the lower label") {
  const Model m = on_a_line({-1, 1}, {1, 1}, {0, 1}, 2);
  const AssignmentView view = m.view();
  double middle = 0.0, right = 0.1;
  CHECK(Assigner(view).label(&middle) == 0);
  CHECK(Assigner(view).label(&right) == 1);
}

TEST("assignment: scores equal the plain formula, and labels have the lowest") {
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t clusters = 1 + random.below(6), dims = 1 + random.below(10);
    Model m(random, clusters + random.below(40), dims, clusters);
    if (round % 2)
      for (std::size_t i = 0; i < m.rows.rows(); ++i) m.rows[i][0] *= 1e4;
    const AssignmentView view = m.view();
    Assigner assigner(view);
    std::vector<double> scores(clusters);
    for (int s = 0; s < 10; ++s) {
      const AlignedDoubles x = random.values(dims, -2.0, 2.0);
      const std::vector<double> expected = plain_scores(m, x.data());
      assigner.scores(x.data(), 1, scores.data());
      for (std::size_t c = 0; c < clusters; ++c)
        CHECK_CLOSE(scores[c], expected[c], 1e-12 * (1.0 + expected[c]));
      const auto lowest = std::min_element(scores.begin(), scores.end()) - scores.begin();
      CHECK(assigner.label(x.data()) == lowest);
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
    for (const std::size_t n :
         // the last number is large enough for several threads
         {0, 1, 3, 4, 5, 7, 8, 9, 20, 4000}) {
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

TEST("assignment: ties everywhere give the lowest label with the lowest score") {
  Random random(4);
  for (int round = 0; round < 200; ++round) {
    const std::size_t clusters = 2 + random.below(5);
    Model m(random, clusters + random.below(20), 3, clusters);
    m.rows = random.grid(m.rows.rows(), 3, 2);
    const AssignmentView view = m.view();
    Assigner assigner(view);
    std::vector<double> scores(clusters);
    const RowMatrix x = random.grid(8, 3, 2);
    std::vector<double> samples;
    for (std::size_t i = 0; i < 8; ++i) samples.insert(samples.end(), x[i], x[i] + 3);
    std::vector<std::int64_t> together(8);
    assigner.labels(samples.data(), 8, together.data());
    for (std::size_t i = 0; i < 8; ++i) {
      assigner.scores(x[i], 1, scores.data());
      const auto lowest = std::min_element(scores.begin(), scores.end()) - scores.begin();
      CHECK(assigner.label(x[i]) == lowest && together[i] == lowest);
    }
  }
}

TEST("assignment: a label does not depend on earlier assignments") {
  Random random(2);
  const Model m(random, 30, 4, 5);
  const AssignmentView view = m.view();
  Assigner one(view);
  for (int s = 0; s < 50; ++s) {
    const AlignedDoubles x = random.values(4);
    CHECK(one.label(x.data()) == Assigner(view).label(x.data()));
  }
}
