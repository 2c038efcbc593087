// One binding for every online system.
#pragma once

#include <memory>

#include "arrays.hpp"
#include "converters.hpp"
#include "signals.hpp"
#include "systems/shared_system.hpp"

namespace phida::bindings {

template <class System>
class SystemBinding {
 public:
  using Shared = systems::SharedSystem<System>;

  static void bind(nb::module_& m, const char* name, const char* doc) {
    auto bound = nb::class_<Shared>(m, name, doc);
    bound
        .def("__init__", &begin,
             nb::sig("def __init__(self, n_features: int, **settings: Any) -> None"))
        .def("learn", &learn, nb::arg("samples").noconvert(),
             "Learn rows in order, as one call; returns how many.")
        .def("assign", &assign, nb::arg("samples").noconvert(), "Label per row.")
        .def("positions", &positions, "Position per node.")
        .def("__getstate__", &state)
        .def("__setstate__", &restore)
        .def_prop_ro("n_features", read(&System::dims))
        .def_prop_ro("n_seen", read(&System::n_seen))
        .def_prop_ro("n_nodes", read(&System::n_nodes))
        .def_prop_ro("n_clusters", read(&System::n_clusters));
    if constexpr (requires(const System& s) { s.graph(); })
      bound.def("edges", &edges, "Rows (a, b, age), ascending, with a < b.");
    if constexpr (requires(const System& s) { s.n_active_nodes(); })
      bound.def_prop_ro("n_active_nodes", read(&System::n_active_nodes));
    if constexpr (requires(const System& s) { s.interval(); })
      bound.def_prop_ro("interval", read(&System::interval));
    if constexpr (requires(const System& s) { s.vigilance(); })
      bound.def_prop_ro("vigilance", read(&System::vigilance));
  }

 private:
  static void begin(Shared* self, std::size_t n_features, const nb::kwargs& given) {
    if (n_features == 0) throw nb::value_error("n_features must be positive");
    typename System::Settings settings;
    set_fields(settings, given);
    System system(n_features, std::move(settings));
    if (!system.is_consistent()) throw nb::value_error("settings are out of range");
    new (self) Shared(std::move(system));
  }

  static void require_width(const System& system, const Matrix& samples) {
    if (samples.shape(1) != system.dims())
      throw nb::value_error("samples have the wrong number of features");
  }

  static std::size_t learn(Shared& shared, const Matrix& samples) {
    std::size_t learned = 0;
    {
      const nb::gil_scoped_release released;
      shared.with([&](const System& system) { require_width(system, samples); });
      learned = shared.learn(samples.data(), samples.shape(0), no_signal);
    }
    if (learned < samples.shape(0))
      throw nb::python_error();  // exception raised by the signal handler
    return learned;
  }

  // Saves a copy: learning may continue meanwhile, and a signal handler may use the model.
  static nb::object assign(Shared& shared, const Matrix& samples) {
    constexpr std::size_t kSlice = 256;
    const std::unique_ptr<System> system = copy(shared);
    require_width(*system, samples);
    if (system->n_nodes() == 0)
      throw nb::value_error("the model has no nodes, so there is no cluster to name");
    const std::size_t n = samples.shape(0), dims = samples.shape(1);
    std::int64_t* labels = nullptr;
    nb::object array = new_array<std::int64_t>({n}, labels);
    bool whole = true;
    {
      const nb::gil_scoped_release released;
      for (std::size_t i = 0; i < n && whole; i += kSlice) {
        system->assign(samples.data() + i * dims, std::min(kSlice, n - i), labels + i);
        whole = no_signal();
      }
    }
    if (!whole) throw nb::python_error();
    return array;
  }

  static nb::object positions(Shared& shared) { return to_array(copy(shared)->positions().rows()); }

  static nb::object edges(Shared& shared) {
    std::vector<std::int64_t> values;
    for (const auto& [a, b, age] : copy(shared)->graph().edges())
      values.insert(values.end(), {a, b, age});
    return to_matrix(values, values.size() / 3, 3);
  }

  // The width is saved with the settings, because a model without nodes does not contain it.
  static nb::dict state(Shared& shared) {
    const std::unique_ptr<System> system = copy(shared);
    nb::dict fields = to_dict_of_fields(*system);
    fields["n_features"] = system->dims();
    return fields;
  }

  static void restore(Shared& self, const nb::dict& state) {
    nb::dict fields;
    for (const auto& [name, value] : state) fields[name] = value;
    std::size_t n_features = 0;
    if (!fields.contains("n_features") || !nb::try_cast(fields["n_features"], n_features) ||
        n_features == 0)
      throw nb::value_error("state: 'n_features' must be a positive number");
    nb::del(fields["n_features"]);
    System system(n_features, {});
    try {
      set_fields(system, fields);
    } catch (const nb::builtin_exception& error) {
      throw nb::value_error(("state: " + std::string(error.what())).c_str());
    }
    if (!system.is_consistent()) throw nb::value_error("state: its parts do not fit together");
    if constexpr (requires { system.restore(); }) system.restore();
    new (&self) Shared(std::move(system));
  }

  // Waits for the lock only after releasing the GIL.
  static std::unique_ptr<System> copy(Shared& shared) {
    const nb::gil_scoped_release released;
    return shared.with([](const System& system) { return std::make_unique<System>(system); });
  }

  template <class Member>
  static auto read(Member member) {
    return [member](Shared& shared) {
      const nb::gil_scoped_release released;
      return shared.with([member](const System& system) { return (system.*member)(); });
    };
  }
};

}  // namespace phida::bindings
