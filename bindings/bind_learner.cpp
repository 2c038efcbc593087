#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

#include "arrays.hpp"
#include "learning/shared_learner.hpp"
#include "signals.hpp"
#include "state.hpp"
#include "state/check.hpp"

namespace phida::bindings {
namespace {

std::size_t learn(SharedLearner& learner, const Matrix& samples) {
  if (samples.shape(1) != learner.settings().dims)
    throw nb::value_error("samples have the wrong number of features");
  std::size_t learned = 0;
  {
    const nb::gil_scoped_release released;
    learned = learner.learn(samples.data(), samples.shape(0), no_signal);
  }
  if (learned < samples.shape(0)) throw nb::python_error();  // what the signal handler raised
  return learned;
}

void end_learning(SharedLearner& learner) {
  bool ended = false;
  {
    const nb::gil_scoped_release released;
    ended = learner.end_learning(no_signal);
  }
  if (!ended) throw nb::python_error();
}

// Against a copy, so that learning need not wait for a worker.
nb::dict local_update(SharedLearner& learner, const Matrix& samples, std::size_t sample,
                      std::uint64_t seed) {
  if (samples.shape(1) != learner.settings().dims)
    throw nb::value_error("samples have the wrong number of features");
  std::unique_ptr<const Learner> copy;
  std::unique_ptr<const LocalUpdate> update;
  {
    const nb::gil_scoped_release released;
    copy = learner.with([](const Learner& l) { return std::make_unique<const Learner>(l); });
    update = std::make_unique<const LocalUpdate>(
        copy->local_update(samples.data(), samples.shape(0), sample, seed));
  }
  return to_dict(*update);
}

void apply(SharedLearner& learner, const nb::list& updates) {
  std::vector<LocalUpdate> converted;
  for (const nb::handle update : updates)
    converted.push_back(update_from(nb::cast<nb::dict>(update), learner.settings().dims));
  bool applied = false;
  {
    const nb::gil_scoped_release released;
    applied = learner.apply(converted, no_signal, [](const Learner& learned) {
      state::check_invariants(learned.settings(), learned.state());
    });
  }
  if (!applied) throw nb::python_error();
}

// What the last sample did, in the words of the golden traces.
nb::dict last_step(SharedLearner& learner) {
  Step step;
  {
    const nb::gil_scoped_release released;
    step = learner.with([](const Learner& l) { return l.last_step(); });
  }
  nb::dict d;
  d["event"] = step.created ? "create" : "update";
  d["refreshed"] = step.refreshed;
  if (step.matched) {
    d["winner"] = step.winner;
    d["runner_up"] = step.runner_up;
    d["winner_birth"] = step.winner_birth;
    d["winner_cluster"] = step.winner_cluster;
    d["winner_parent"] = step.winner_parent;
    d["similarity"] = nb::make_tuple(step.winner_similarity, step.runner_up_similarity);
    d["runner_up_updated"] = step.runner_up_updated;
    d["gamma"] = step.gamma;
  }
  return d;
}

// The model's lock is taken only with the GIL released; converting the copy needs the GIL again.
nb::dict state(SharedLearner& learner) {
  std::unique_ptr<const Learner> copy;
  {
    const nb::gil_scoped_release released;
    copy = learner.with([](const Learner& l) { return std::make_unique<const Learner>(l); });
  }
  return to_dict(*copy);
}

nb::dict lineage(SharedLearner& learner, std::int64_t since) {
  Lineage copy;
  {
    const nb::gil_scoped_release released;
    copy = learner.with([](const Learner& l) { return l.state().lineage; });
  }
  return events_since(copy, since);
}

nb::dict living(SharedLearner& learner) {
  std::unique_ptr<const Learner> copy;
  {
    const nb::gil_scoped_release released;
    copy = learner.with([](const Learner& l) { return std::make_unique<const Learner>(l); });
  }
  return living_of(copy->state());
}

nb::dict history(SharedLearner& learner) {
  History copy;
  {
    const nb::gil_scoped_release released;
    copy = learner.with([](const Learner& l) { return l.state().history; });
  }
  return to_dict(copy);
}

Rule rule_of(std::string_view name) {
  if (name == "published") return Rule::kPublished;
  if (name == "groups") return Rule::kGroups;
  if (name == "parts") return Rule::kParts;
  throw nb::value_error("a rule is 'published', 'groups' or 'parts'");
}

template <class Get>
auto field(Get get) {
  return [get](SharedLearner& learner) {
    const nb::gil_scoped_release released;
    return learner.with([&](const Learner& l) { return get(l.state()); });
  };
}

}  // namespace

void bind_learner(nb::module_& m) {
  nb::class_<SharedLearner>(
      m, "Learner",
      "The online learner. The switches are the paper's ablations; plus, max_nodes and half_life "
      "depart from the paper, 0 is off.")
      .def(
          "__init__",
          [](SharedLearner* self, std::size_t n_features, bool released, bool plus, bool ph,
             bool refresh, bool remove, bool prune, bool mapping, std::size_t max_nodes,
             double half_life) {
            if (n_features == 0) throw nb::value_error("n_features must be positive");
            const Settings settings{.dims = n_features,
                                    .released = released,
                                    .switches = {ph, refresh, remove, prune, mapping},
                                    .max_nodes = max_nodes,
                                    .half_life = half_life,
                                    .plus = plus};
            state::check_settings(settings);
            new (self) SharedLearner(Learner(settings));
          },
          nb::arg("n_features"), nb::kw_only(), nb::arg("released") = false,
          nb::arg("plus") = false, nb::arg("ph") = true, nb::arg("refresh") = true,
          nb::arg("remove") = true, nb::arg("prune") = true, nb::arg("mapping") = true,
          nb::arg("max_nodes") = 0, nb::arg("half_life") = 0.0)
      .def("learn", &learn, nb::arg("samples").noconvert(),
           "Learn rows in order. Every value must be finite; the caller has checked.")
      .def("local_update", &local_update, nb::arg("samples").noconvert(), nb::arg("sample"),
           nb::arg("seed"), "What a worker finds out about rows against this state, as arrays.")
      .def("apply", &apply, nb::arg("updates"),
           "Take in what workers counted, in this order, and learn the rest.")
      .def("end_learning", &end_learning, "Refresh and begin a new stage.")
      .def(
          "reading",
          [](SharedLearner& learner, std::string_view rule) {
            const Rule by = rule_of(rule);
            const nb::gil_scoped_release released;
            return learner.reading(by);
          },
          nb::arg("rule") = "published",
          "The model as if learning had just ended, by the rule 'published', 'groups' or 'parts'; "
          "learning is not affected.")
      .def(
          "follow",
          [](SharedLearner& learner, std::string_view rule) {
            const Rule by = rule_of(rule);
            const nb::gil_scoped_release released;
            learner.follow(by);
          },
          nb::arg("rule"), "The rule whose clusters the lineage follows from now on.")
      .def("last_step", &last_step)
      .def("lineage", &lineage, nb::arg("since") = 0,
           "The events from a number on in the lives of clusters, as columns.")
      .def("living", &living,
           "The confirmed clusters, as columns. Birth: when their nodes were created, by rows won.")
      .def("history", &history, "The learner's size at one refresh in so many, as columns.")
      .def("__getstate__", &state)
      .def("__setstate__", [](SharedLearner& self,
                              const nb::dict& d) { new (&self) SharedLearner(learner_from(d)); })
      .def_prop_ro("n_features", [](const SharedLearner& l) { return l.settings().dims; })
      .def_prop_ro("n_seen", field([](const LearnerState& s) { return s.n_seen; }))
      .def_prop_ro("n_events", field([](const LearnerState& s) {
                     return s.lineage.n_dropped +
                            static_cast<std::int64_t>(s.lineage.events.size());
                   }))
      .def_prop_ro("n_nodes", field([](const LearnerState& s) { return s.nodes.size(); }))
      .def_prop_ro("interval", field([](const LearnerState& s) { return s.vigilance.interval; }))
      .def_prop_ro("vigilance", field([](const LearnerState& s) { return s.vigilance.threshold; }))
      .def_prop_ro("ratio", field([](const LearnerState& s) { return s.vigilance.ratio; }))
      .def_prop_ro("ended", field([](const LearnerState& s) { return s.ended; }));
}

}  // namespace phida::bindings
