#include <cstdlib>
#include <cstring>

#include "levels.hpp"

using namespace phida;

TEST("kernels: every table has the name that finds it") {
  for_each_level([](const Kernels& k) { CHECK(kernels_of(k.level) == &k); });
  CHECK(kernels_of("baseline") != nullptr);
}

TEST("kernels: unknown levels are refused and change nothing") {
  const Kernels* before = &kernels();
  CHECK(kernels_of("avx1024") == nullptr && kernels_of("") == nullptr);
  CHECK(!use_kernels("avx1024"));
  CHECK(&kernels() == before);
}

TEST("kernels: a level can be selected") {
  const LevelGuard guard;
  for_each_level([](const Kernels& k) {
    CHECK(use_kernels(k.level));
    CHECK(&kernels() == &k);
  });
}

TEST("kernels: PHIDA_SIMD lowers the level") {
  const char* wish = std::getenv("PHIDA_SIMD");
  if (wish != nullptr && std::strcmp(wish, "baseline") == 0)
    CHECK(std::strcmp(kernels().level, "baseline") == 0);
  if (wish != nullptr && std::strcmp(wish, "avx2") == 0)
    CHECK(std::strcmp(kernels().level, "avx512") != 0);
  if (wish == nullptr)
    for_each_level([](const Kernels& k) {
      if (std::strcmp(k.level, "baseline") != 0)
        CHECK(std::strcmp(kernels().level, "baseline") != 0);
    });
}
