// Tracked quartiles must equal those of a sort after any changes.
#include "check.hpp"
#include "metric/tracked_scaling.hpp"
#include "metric/value_quartiles.hpp"
#include "random.hpp"
#include "stages.hpp"

using namespace phida;

namespace {

Quartiles plain_quartiles(std::vector<double>& values) {
  return {hazen_quantile(values, 0.25), hazen_quantile(values, 0.5), hazen_quantile(values, 0.75)};
}

// A random program of rows added, moved and removed, with a tracker that is notified of each.
struct Program {
  Random random;
  std::size_t dims;
  RowMatrix rows;
  bool tied;

  Program(std::uint64_t seed, std::size_t d, bool with_ties)
      : random(seed), dims(d), rows(d), tied(with_ties) {}

  double value(std::size_t j) {
    return tied ? static_cast<double>(random.below(4))
                : random.normal() * (1.0 + static_cast<double>(j % 3));
  }
  AlignedDoubles row() {
    AlignedDoubles values(padded(dims), 0.0);
    for (std::size_t j = 0; j < dims; ++j) values[j] = value(j);
    return values;
  }
  Members members() const { return plain::first(rows.rows()); }
};

}  // namespace

TEST("tracked quartiles: columns stay exact while rows are added, moved and removed") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Program p(seed, 1 + seed % 11, seed % 2);
    ColumnQuartiles quartiles;
    std::size_t unchanged = 0;
    for (int step = 0; step < 150; ++step) {
      for (std::size_t i = 0, added = p.random.below(3) + (step == 0); i < added; ++i)
        p.rows.append(p.row().data());
      if (p.random.below(3) == 0) {
        std::copy_n(p.row().data(), p.dims, p.rows[p.random.below(p.rows.rows())]);
        unchanged = 0;
      }
      if (p.random.below(15) == 0 && p.rows.rows() > 1) {
        p.rows.resize(1 + p.random.below(p.rows.rows()));
        unchanged = 0;
      }
      quartiles.update(p.rows, p.members(), unchanged);
      unchanged = p.rows.rows();
      for (std::size_t j = 0; j < p.dims; ++j) {
        std::vector<double> column;
        for (std::size_t i = 0; i < p.rows.rows(); ++i) column.push_back(p.rows[i][j]);
        const Quartiles expected = plain_quartiles(column);
        CHECK(quartiles.first(j) == expected.first && quartiles.third(j) == expected.third);
      }
    }
  }
}

TEST("tracked quartiles: a list stays exact after small and complete changes") {
  Random random(1);
  ValueQuartiles quartiles;
  std::vector<double> values{1.0};
  for (int step = 0; step < 2000; ++step) {
    switch (random.below(4)) {
      case 0: values.push_back(random.normal()); break;
      case 1: values[random.below(values.size())] = static_cast<double>(random.below(3)); break;
      case 2:
        if (values.size() > 1) values.pop_back();
        break;
      default:
        if (random.below(20) == 0) values.assign(1 + random.below(50), random.normal());
    }
    std::vector<double> copy = values;
    const Quartiles expected = plain_quartiles(copy), got = quartiles.of(values);
    CHECK(got.first == expected.first && got.median == expected.median &&
          got.third == expected.third);
  }
}

TEST("tracked scaling: equals a fresh fit to the bit after any reported changes") {
  int proofs = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Program p(seed, 1 + seed % 13, seed % 3 == 0);
    TrackedScaling tracked;
    FeatureTransform got;
    for (int step = 0; step < 200; ++step) {
      for (std::size_t i = 0, added = step == 0 ? 1 + p.random.below(200) : p.random.below(2);
           i < added; ++i) {
        p.rows.append(p.row().data());
        tracked.row_added(p.rows[p.rows.rows() - 1]);
      }
      for (std::size_t i = 0, moves = p.random.below(4); i < moves; ++i) {
        double* const row = p.rows[p.random.below(p.rows.rows())];
        const AlignedDoubles before(row, row + p.rows.stride());
        // Late in some programs one column widens, so that gamma becomes positive.
        std::copy_n(p.row().data(), p.dims, row);
        if (seed % 4 == 1 && step > 100) row[0] *= 1e3;
        tracked.row_moved(before.data(), row);
      }
      if (p.random.below(40) == 0) {
        p.rows.resize(p.rows.rows() - p.random.below((p.rows.rows() + 1) / 2));
        tracked.all_changed();
      }
      tracked.fit(p.rows, p.members(), got);
      proofs += tracked.watches_rows();
      const FeatureTransform expected = fitted(p.rows);
      CHECK(plain::same_bits(got.gamma, expected.gamma) &&
            plain::same_bits(got.inverse, expected.inverse));
    }
  }
  CHECK(proofs > 1000);
}
