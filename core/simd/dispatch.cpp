// Chooses a table of kernels once, when the library is loaded.
#include <cstdlib>
#include <cstring>

#include "simd/kernels.hpp"

#if defined(PHIDA_X86_LEVELS) && defined(_WIN32)
#include <cpuid.h>
#endif

namespace phida {

extern const Kernels kernels_baseline;
#if defined(PHIDA_X86_LEVELS)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
void grid_squares_avx512vnni(const std::int16_t*, std::size_t, std::size_t, const std::int16_t*,
                             const std::int32_t*, std::size_t, std::size_t, std::int32_t*,
                             std::size_t, std::int32_t*);
#endif

namespace {

#if defined(PHIDA_X86_LEVELS)
// The requirements of x86-64-v3 and x86-64-v4, as far as the compiler can use them in our kernels.
#if defined(_WIN32)
// __builtin_cpu_supports needs a part of the compiler's runtime that clang-cl does not link.
struct Words {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

bool all_of(unsigned word, unsigned bits) { return (word & bits) == bits; }

// The features of leaf 7, if the system saves the registers that they use.
unsigned features(unsigned saved) {
  constexpr unsigned kFma = 1u << 12, kSaving = 1u << 27, kAvx = 1u << 28;
  Words w;
  if (!__get_cpuid(1, &w.a, &w.b, &w.c, &w.d) || !all_of(w.c, kFma | kSaving | kAvx)) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if (!all_of(low, saved) || !__get_cpuid_count(7, 0, &w.a, &w.b, &w.c, &w.d)) return 0;
  return w.b;
}

constexpr unsigned kBmi = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8;
constexpr unsigned kAvx512 =
    1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;  // f, dq, cd, bw, vl

bool has_avx2() { return all_of(features(0x06), kAvx2 | kBmi | kBmi2); }

bool has_avx512() { return has_avx2() && all_of(features(0xe6), kAvx512); }

bool has_vnni() {
  constexpr unsigned kVnni = 1u << 11;
  Words w;
  return has_avx512() && __get_cpuid_count(7, 0, &w.a, &w.b, &w.c, &w.d) && all_of(w.c, kVnni);
}

void ask_processor() {}
#else
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

bool has_vnni() { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }

void ask_processor() { __builtin_cpu_init(); }
#endif

// The level avx512 with one instruction in place of two, which gives the same integers.
const Kernels& kernels_avx512vnni() {
  static const Kernels table = [] {
    Kernels k = kernels_avx512;
    k.level = "avx512vnni";
    k.grid_squares = grid_squares_avx512vnni;
    return k;
  }();
  return table;
}
#endif

const Kernels* best() {
#if defined(PHIDA_X86_LEVELS)
  ask_processor();
  const char* const variable = std::getenv("PHIDA_SIMD");
  const auto wish = [&](const char* level) {
    return variable != nullptr && std::strcmp(variable, level) == 0;
  };
  if (!wish("baseline") && !wish("avx2") && !wish("avx512") && has_vnni())
    return &kernels_avx512vnni();
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
  if (std::strcmp(level, "avx512vnni") == 0 && has_vnni()) return &kernels_avx512vnni();
#endif
  return nullptr;
}

bool use_kernels(const char* level) {
  const Kernels* table = kernels_of(level);
  if (table != nullptr) in_use = table;
  return table != nullptr;
}

}  // namespace phida
