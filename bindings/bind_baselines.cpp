// The online baselines: a table of contents.
#include "baselines/cae.hpp"
#include "baselines/caea.hpp"
#include "baselines/ddvfa.hpp"
#include "baselines/gng.hpp"
#include "baselines/idat.hpp"
#include "baselines/soinn_plus.hpp"
#include "bind_system.hpp"

namespace phida::bindings {

void bind_baselines(nb::module_& m) {
  SystemBinding<baselines::Gng>::bind(m, "GNG", "Growing Neural Gas.");
  SystemBinding<baselines::SoinnPlus>::bind(m, "SOINNPlus",
                                            "Self-Organizing Incremental Neural Network +.");
  SystemBinding<baselines::Ddvfa>::bind(m, "DDVFA", "Distributed Dual Vigilance Fuzzy ART.");
  SystemBinding<baselines::Idat>::bind(m, "IDAT", "Inverse-distance ART with topology.");
  SystemBinding<baselines::Cae>::bind(m, "CAE", "CIM-based ART with edges.");
  SystemBinding<baselines::Caea>::bind(m, "CAEA", "CIM-based ART with edges and ages.");
}

}  // namespace phida::bindings
