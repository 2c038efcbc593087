// The private extension module of the compared online systems: a table of contents.
#include "bind_system.hpp"
#include "systems/cae.hpp"
#include "systems/caea.hpp"
#include "systems/ddvfa.hpp"
#include "systems/gng.hpp"
#include "systems/idat.hpp"
#include "systems/soinn_plus.hpp"

namespace phida::bindings {

void bind_simd_levels(nb::module_& m);

}  // namespace phida::bindings

NB_MODULE(_systems, m) {
  using namespace phida;
  using bindings::SystemBinding;
  m.doc() = "The compared online systems. Private: use phida_bench.systems.";
  bindings::bind_simd_levels(m);
  SystemBinding<systems::Gng>::bind(m, "GNG", "Growing Neural Gas.");
  SystemBinding<systems::SoinnPlus>::bind(m, "SOINNPlus",
                                          "Self-Organizing Incremental Neural Network +.");
  SystemBinding<systems::Ddvfa>::bind(m, "DDVFA", "Distributed Dual Vigilance Fuzzy ART.");
  SystemBinding<systems::Idat>::bind(m, "IDAT", "Inverse-distance ART with topology.");
  SystemBinding<systems::Cae>::bind(m, "CAE", "CIM-based ART with edges.");
  SystemBinding<systems::Caea>::bind(m, "CAEA", "CIM-based ART with edges and ages.");
}
