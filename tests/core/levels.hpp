// Every instruction set level of this machine.
#pragma once

#include <string>

#include "check.hpp"
#include "plain.hpp"
#include "random.hpp"
#include "simd/kernels.hpp"

namespace phida {

inline const char* const kLevels[] = {"baseline", "avx2", "avx512", "avx512vnni"};

template <class Visit>
void for_each_level(Visit visit) {
  for (const char* level : kLevels)
    if (const Kernels* table = kernels_of(level)) visit(*table);
}

// Restores the level that was in use.
class LevelGuard {
 public:
  ~LevelGuard() { use_kernels(level_.c_str()); }

 private:
  std::string level_ = kernels().level;
};

}  // namespace phida
