// The private extension module: a table of contents.
#include <nanobind/nanobind.h>

namespace phida::bindings {

void bind_learner(nanobind::module_& m);
void bind_reading(nanobind::module_& m);
void bind_stages(nanobind::module_& m);
void bind_simd(nanobind::module_& m);

}  // namespace phida::bindings

NB_MODULE(_core, m) {
  m.doc() = "PHIDA's native core. Private: use the phida package.";
  // A thread may still hold a model when Python exits, which is not an error.
  nanobind::set_leak_warnings(false);
  phida::bindings::bind_reading(m);
  phida::bindings::bind_learner(m);
  phida::bindings::bind_stages(m);
  phida::bindings::bind_simd(m);
}
