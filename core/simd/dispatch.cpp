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

// What x86-64-v3 and x86-64-v4 ask for, as far as the compiler can use it in our kernels.
bool has_avx2() {
#if defined(PHIDA_X86_LEVELS)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

bool has_avx512() {
#if defined(PHIDA_X86_LEVELS)
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

const Kernels* best() {
#if defined(PHIDA_X86_LEVELS)
  __builtin_cpu_init();
  const char* wish = std::getenv("PHIDA_SIMD");
  const bool any = wish == nullptr || *wish == '\0' || std::strcmp(wish, "avx512") == 0;
  if (any && has_avx512()) return &kernels_avx512;
  if ((any || std::strcmp(wish, "avx2") == 0) && has_avx2()) return &kernels_avx2;
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
