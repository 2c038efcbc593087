// The online baselines: a table of contents.
#include "baselines/gng.hpp"
#include "bind_system.hpp"

namespace phida::bindings {

void bind_baselines(nb::module_& m) {
  SystemBinding<baselines::Gng>::bind(m, "GNG", "Growing Neural Gas.");
}

}  // namespace phida::bindings
