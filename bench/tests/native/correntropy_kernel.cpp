// The correntropy-induced metric and its exponential.

#include "levels.hpp"
#include "systems/correntropy.hpp"

using namespace phida;
using namespace phida::systems;

namespace {

AlignedDoubles distances(const Kernels& k, const double* query, const BlockedRows& rows,
                         double bandwidth) {
  AlignedDoubles out(rows.blocks() * kLanes);
  correntropy_kernel(k.level)(query, rows.data(), rows.blocks(), rows.dims(), bandwidth,
                              out.data());
  return out;
}

BlockedRows blocked(const RowMatrix& rows) {
  BlockedRows blocks(rows.cols());
  for (std::size_t i = 0; i < rows.rows(); ++i) blocks.append(rows[i]);
  return blocks;
}

}  // namespace

TEST("correntropy: distances equal the formula, with the same bits at every level") {
  Random random(1);
  for (std::size_t n : {1, 7, 8, 9, 16, 17, 40})
    for (std::size_t dims : {1, 3, 8, 30})
      for (double bandwidth : {1e-7, 0.02, 0.5, 40.0}) {
        const RowMatrix rows = random.rows(n, dims);
        const BlockedRows blocks = blocked(rows);
        const AlignedDoubles query = random.values(dims);
        const AlignedDoubles expected =
            distances(*kernels_of("baseline"), query.data(), blocks, bandwidth);
        for (std::size_t i = 0; i < n; ++i) {
          double sum = 0.0;
          for (std::size_t j = 0; j < dims; ++j)
            sum += std::exp(-std::pow(query[j] - rows[i][j], 2) / (2 * bandwidth * bandwidth));
          CHECK_CLOSE(expected[i] * expected[i], 1.0 - sum / static_cast<double>(dims), 2e-15);
        }
        for (std::size_t i = n; i < expected.size(); ++i) CHECK(expected[i] == 1.0);
        for_each_level([&](const Kernels& k) {
          CHECK(plain::same_bits(distances(k, query.data(), blocks, bandwidth), expected));
        });
      }
}

TEST("correntropy: the exponential is exact to the last digits") {
  // With one feature and bandwidth 1 / sqrt(2), the distance is sqrt(1 - exp(-gap^2)).
  Random random(2);
  const double bandwidth = std::sqrt(0.5);
  for (int round = 0; round < 2000; ++round) {
    const double gap = random.uniform(0.0, 6.0), exact = std::exp(-gap * gap);
    RowMatrix rows(1);
    rows.append(&gap);
    const double origin = 0.0;
    const double cim = distances(kernels(), &origin, blocked(rows), bandwidth)[0];
    CHECK_CLOSE(cim, std::sqrt(1.0 - exact), 3e-16);
  }
}

TEST("correntropy: a row equal to the query is at distance 0, a distant row at 1") {
  for_each_level([](const Kernels& k) {
    for (std::size_t dims : {1, 3, 7, 64}) {
      const AlignedDoubles here(dims, 0.1), far(dims, 1e140);
      RowMatrix rows(dims);
      rows.append(here.data());
      rows.append(far.data());
      const AlignedDoubles out = distances(k, here.data(), blocked(rows), 1e-7);
      CHECK(out[0] == 0.0 && out[1] == 1.0);
    }
  });
}
