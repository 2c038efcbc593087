// Sixteen floats as a struct of native vectors, for sums that only select candidates. Like lanes.hpp, included only
// by the kernels.
#pragma once

#include "simd/lanes.hpp"

namespace {

constexpr int kFloatWidth = PHIDA_VECTOR_BYTES / 4;
constexpr int kFloatParts = 16 / kFloatWidth;

typedef float FloatVec __attribute__((vector_size(PHIDA_VECTOR_BYTES)));
typedef float UnalignedFloatVec
    __attribute__((vector_size(PHIDA_VECTOR_BYTES), aligned(4), may_alias));

struct FloatLanes {
  FloatVec part[kFloatParts];
};

PHIDA_INLINE FloatLanes load_floats(const float* p) {
  FloatLanes r;
  PHIDA_UNROLL
  for (int i = 0; i < kFloatParts; ++i)
    r.part[i] = *reinterpret_cast<const UnalignedFloatVec*>(p + i * kFloatWidth);
  return r;
}

}  // namespace
