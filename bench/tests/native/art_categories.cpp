#include "systems/art_categories.hpp"

#include "check.hpp"
#include "random.hpp"
#include "systems/feature_range.hpp"

using namespace phida;
using namespace phida::systems;

TEST("feature_range: scales to [0, 1], clips, and has width zero for one value") {
  const double rows[] = {1.0, 5.0, 3.0, 5.0};
  FeatureRange range;
  CHECK(!range.is_known());
  range.include(rows, 2, 2);
  CHECK(range.low == std::vector<double>{1.0, 5.0} && range.high == std::vector<double>{3.0, 5.0});
  CHECK(range.scaled(0, 1.0) == 0.0 && range.scaled(0, 1.5) == 0.25 && range.scaled(0, 3.0) == 1.0);
  CHECK(range.scaled(0, -9.0) == 0.0 && range.scaled(0, 9.0) == 1.0);
  CHECK(range.scaled(1, 5.0) == 0.0 && range.scaled(1, 7.0) == 0.0);
  const double more[] = {0.0, 6.0};
  range.include(more, 1, 2);
  CHECK(range.low[0] == 0.0 && range.high[0] == 3.0 && range.high[1] == 6.0);
}

TEST("art_categories: powers of zero, and of small and other exponents") {
  CHECK(power(0.0, 0.0) == 1.0 && power(0.0, 2.0) == 0.0 && power(0.0, 0.5) == 0.0);
  CHECK(power(3.0, 1.0) == 3.0 && power(0.5, 3.0) == 0.125);
  CHECK_CLOSE(power(2.0, 2.5), 5.656854249492381, 1e-14);
  CHECK_CLOSE(power(2.0, 9.0), 512.0, 1e-11);
}

TEST("art_categories: activation and match equal the definition") {
  Random random(6);
  const ArtExponents exponents{1e-3, 2.0, 1.0};
  for (const std::size_t width : {2, 6, 30})
    for (const std::size_t n : {1, 7, 8, 9, 40}) {
      ArtCategories categories{NodePositions(width)};
      for (std::size_t i = 0; i < n; ++i)
        categories.append(random.values(width, 0.0, 1.0).data(), exponents.gamma_ref);
      categories.set(n / 2, random.values(width, 0.0, 1.0).data(), exponents.gamma_ref);
      const AlignedDoubles sample = random.values(width, 0.0, 1.0);
      categories.respond(sample.data(), exponents);
      for (std::size_t i = 0; i < n; ++i) {
        double common = 0.0, norm = 0.0;
        for (std::size_t j = 0; j < width; ++j) {
          common += std::min(sample[j], categories.boxes()[i][j]);
          norm += categories.boxes()[i][j];
        }
        const double ratio = common / (exponents.alpha + norm);
        CHECK(categories.activation()[i] == ratio * ratio);
        CHECK(categories.match()[i] == norm * (ratio * ratio));
      }
    }
}

TEST("art_categories: boxes set from outside are measured again") {
  Random random(7);
  const ArtExponents exponents{1e-3, 3.0, 0.5};
  ArtCategories grown{NodePositions(4)};
  for (int i = 0; i < 11; ++i) grown.append(random.values(4, 0.0, 1.0).data(), exponents.gamma_ref);
  ArtCategories copied{NodePositions(grown.boxes().rows())};
  copied.measure(exponents.gamma_ref);
  const AlignedDoubles sample = random.values(4, 0.0, 1.0);
  grown.respond(sample.data(), exponents);
  copied.respond(sample.data(), exponents);
  CHECK(grown.activation() == copied.activation() && grown.match() == copied.match());
}
