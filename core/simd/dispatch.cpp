// Chooses a table of kernels once, when the library is loaded.
#include <cstdlib>
#include <cstring>

#include "simd/kernels.hpp"

namespace phida {

extern const Kernels kernels_baseline;
#if defined(PHIDA_X86_LEVELS)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

namespace {

#if defined(PHIDA_X86_LEVELS)
// What x86-64-v3 and x86-64-v4 ask for, as far as the compiler can use it in our kernels.
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

const Kernels* best() {
#if defined(PHIDA_X86_LEVELS)
  __builtin_cpu_init();
  const char* const variable = std::getenv("PHIDA_SIMD");
  const auto wish = [&](const char* level) {
    return variable != nullptr && std::strcmp(variable, level) == 0;
  };
  if (!wish("baseline") && !wish("avx2") && has_avx512()) return &kernels_avx512;
  if (!wish("baseline") && has_avx2()) return &kernels_avx2;
#endif
  return &kernels_baseline;
}

const Kernels* in_use = best();

}  // namespace

const Kernels& kernels() { return *in_use; }

const Kernels* kernels_of(const char* level) {
  if (std::strcmp(level, "baseline") == 0) return &kernels_baseline;
#if defined(PHIDA_X86_LEVELS)
  if (std::strcmp(level, "avx2") == 0 && has_avx2()) return &kernels_avx2;
  if (std::strcmp(level, "avx512") == 0 && has_avx512()) return &kernels_avx512;
#endif
  return nullptr;
}

bool use_kernels(const char* level) {
  const Kernels* table = kernels_of(level);
  if (table != nullptr) in_use = table;
  return table != nullptr;
}

}  // namespace phida
