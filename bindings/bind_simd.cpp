#include <nanobind/nanobind.h>

#include "arrays.hpp"
#include "simd/kernels.hpp"

namespace phida::bindings {

// Each extension module has its own kernels, and so its own choice.
void bind_simd_levels(nb::module_& m) {
  m.def(
      "simd_level", [] { return kernels().level; },
      "Return the instruction set in use: baseline, avx2, avx512 or avx512vnni.");
  m.def(
      "simd_levels",
      [] {
        nb::list levels;
        for (const char* level : {"baseline", "avx2", "avx512", "avx512vnni"})
          if (kernels_of(level) != nullptr) levels.append(level);
        return levels;
      },
      "Return the instruction sets of this processor and build.");
  m.def(
      "use_simd_level",
      [](const char* level) {
        if (!use_kernels(level)) throw nb::value_error("no such instruction set here");
      },
      nb::arg("level"), "Replace the instruction set in use, for tests.");
}

void bind_simd(nb::module_& m) {
  bind_simd_levels(m);
  m.def(
      "first_outside",
      [](const Matrix& values, double limit) {
        const std::size_t n = values.shape(0) * values.shape(1);
        const nb::gil_scoped_release released;
        const std::size_t at = kernels().first_outside(values.data(), n, limit);
        return at == n ? std::int64_t{-1} : static_cast<std::int64_t>(at);
      },
      nb::arg("values").noconvert(), nb::arg("limit"),
      "Return the flat index of the first value that is NaN or exceeds the limit in magnitude, or "
      "-1.");
}

}  // namespace phida::bindings
