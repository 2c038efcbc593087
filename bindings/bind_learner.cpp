#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <numeric>
#include <optional>

#include "arrays.hpp"
#include "learning/learner.hpp"
#include "learning/plus_learner.hpp"
#include "learning/shared_learner.hpp"
#include "signals.hpp"
#include "state.hpp"

namespace phida::bindings {
namespace {

using Shared = SharedLearner<Learner>;
using SharedPlus = SharedLearner<PlusLearner>;

// Learns with the GIL released; raises the exception of a signal handler.
template <class Work>
std::size_t learn_all(std::size_t n, Work work) {
  std::size_t learned = 0;
  {
    const nb::gil_scoped_release released;
    learned = work();
  }
  if (learned < n) throw nb::python_error();
  return learned;
}

void check_width(const Matrix& samples, std::size_t dims) {
  if (samples.shape(1) != dims) throw nb::value_error("samples have the wrong number of features");
}

std::size_t learn(Shared& learner, const Matrix& samples) {
  check_width(samples, learner.settings().dims);
  const std::size_t n = samples.shape(0);
  return learn_all(n, [&] { return learner.learn(samples.data(), n, no_signal); });
}

// The model's lock is taken only with the GIL released; converting the copy needs the GIL again.
template <class L>
std::unique_ptr<const L> copy_of(SharedLearner<L>& learner) {
  const nb::gil_scoped_release released;
  return learner.with([](const L& l) { return std::make_unique<const L>(l); });
}

template <class L, class Get>
auto taken(SharedLearner<L>& learner, Get get) {
  const nb::gil_scoped_release released;
  return learner.with([&](const L& l) { return get(l); });
}

std::size_t learn_weighted(SharedPlus& learner, const Matrix& samples,
                           const std::optional<Vector>& weights, bool follow) {
  const std::size_t n = samples.shape(0), dims = learner.settings().dims;
  check_width(samples, dims);
  const auto learn_rows = [&](const double* counts) {
    return learn_all(n, [&] {
      return learner.learn(n, no_signal, [&](PlusLearner& l, std::size_t first, std::size_t count) {
        l.learn_many(samples.data() + first * dims, count,
                     counts == nullptr ? nullptr : counts + first, follow);
      });
    });
  };
  if (!weights) return learn_rows(nullptr);
  if (weights->shape(0) != n) throw nb::value_error("there must be one weight per sample");
  constexpr double kLeast = 0x1p-40, kMost = 0x1p53;
  for (const double w : as_span(*weights))
    if (!(w >= kLeast && w <= kMost)) throw nb::value_error("a weight is from 2^-40 to 2^53");
  const double known = taken(learner, [](const PlusLearner& l) {
    const std::vector<double>& weight = l.state().nodes.weight;
    return std::accumulate(weight.begin(), weight.end(), 0.0) / l.state().unit;
  });
  if (std::accumulate(weights->data(), weights->data() + n, known) > kMost)
    throw std::overflow_error("a model learns at most 2^53 rows");
  return learn_rows(weights->data());
}

void merge(SharedPlus& learner, const nb::list& others, bool follow, bool one_stream) {
  std::vector<std::unique_ptr<const PlusLearner>> copies;
  std::vector<const PlusState*> states;
  for (const nb::handle other : others) {
    copies.push_back(copy_of(nb::cast<SharedPlus&>(other)));
    if (copies.back()->settings() != learner.settings())
      throw nb::value_error("models that merge must have the same settings");
    states.push_back(&copies.back()->state());
  }
  bool merged = false;
  {
    const nb::gil_scoped_release released;
    merged = learner.replace(no_signal, [&](PlusLearner& l) {
      double rows = 0.0;
      for (const PlusState* const state : states) rows += static_cast<double>(state->n_seen);
      require_room(l.state().n_seen, l.state().lineage, l.state().history, rows);
      l.merge(states, follow, one_stream);
    });
  }
  if (!merged) throw nb::python_error();
}

void number_examples(SharedPlus& learner, std::int64_t part, std::int64_t n_parts,
                     std::int64_t block) {
  const nb::gil_scoped_release released;
  learner.replace(no_signal, [&](PlusLearner& l) { l.number_examples(part, n_parts, block); });
}

// The effect of the last sample, in the words of the golden traces.
nb::dict last_step(Shared& learner) {
  const Step step = taken(learner, [](const Learner& l) { return l.last_step(); });
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

nb::dict last_plus_step(SharedPlus& learner) {
  const FineStep step = taken(learner, [](const PlusLearner& l) { return l.last_step(); });
  nb::dict d;
  d["event"] = step.created ? "create" : "update";
  if (step.winner != kNone) {
    d["winner"] = step.winner;
    d["winner_birth"] = step.winner_birth;
    d["winner_cluster"] = step.winner_cluster;
    d["winner_parent"] = step.winner_parent;
    d["square"] = step.square;
    d["gap"] = step.winner_gap;
  }
  return d;
}

template <class L, class Get>
auto field(Get get) {
  return [get](SharedLearner<L>& learner) {
    return taken(learner, [&](const L& l) { return get(l.state()); });
  };
}

template <class L>
nb::object assign(SharedLearner<L>& learner, const Matrix& samples, std::size_t threads) {
  check_width(samples, learner.settings().dims);
  return per_row(samples, [&](std::int64_t* labels) {
    return learner.assign(samples.data(), samples.shape(0), threads, no_signal, labels);
  });
}

template <class L>
nb::object assign_ids(SharedLearner<L>& learner, const Matrix& samples, std::size_t threads) {
  check_width(samples, learner.settings().dims);
  return per_row(samples, [&](std::int64_t* ids) {
    return learner.assign_ids(samples.data(), samples.shape(0), threads, no_signal, ids);
  });
}

// Methods of both learners.
template <class L>
void bind_shared(nb::class_<SharedLearner<L>>& c) {
  using S = SharedLearner<L>;
  using State = std::remove_cvref_t<decltype(std::declval<const L&>().state())>;
  c.def(
       "end_learning",
       [](S& learner) {
         bool ended = false;
         {
           const nb::gil_scoped_release released;
           ended = learner.end_learning(no_signal);
         }
         if (!ended) throw nb::python_error();
       },
       "Refresh and begin a new stage.")
      .def(
          "reading",
          [](S& learner) {
            const nb::gil_scoped_release released;
            return learner.reading();
          },
          "Return a reading of the model; learning is not affected.")
      .def("assign", &assign<L>, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Return the label of each row, as the reading does; faster for a few rows.")
      .def("assign_ids", &assign_ids<L>, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Return the lasting id of each row, likewise.")
      .def(
          "lineage",
          [](S& learner, std::int64_t since) {
            return events_since(taken(learner, [](const L& l) { return l.state().lineage; }),
                                since);
          },
          nb::arg("since") = 0, "Return the events of clusters from a number on, as columns.")
      .def(
          "living",
          [](S& learner) {
            const auto [living, nodes, birth] = taken(learner, [](const L& l) {
              const State& s = l.state();
              return std::tuple{s.lineage.living, s.nodes.lineage, s.nodes.birth};
            });
            return living_of(living, nodes, birth);
          },
          "The confirmed clusters, as columns. Birth: mean creation time of their nodes, weighted "
          "by wins. Quiet: whether they have stopped winning rows.")
      .def(
          "candidates",
          [](S& learner) {
            return candidates_of(taken(learner, [](const L& l) { return l.state().lineage; }));
          },
          "Unconfirmed changes, as columns.")
      .def(
          "history",
          [](S& learner) {
            return to_dict(taken(learner, [](const L& l) { return l.state().history; }));
          },
          "The learner's size at every n-th refresh, as columns.")
      .def("__getstate__", [](S& learner) { return to_dict(*copy_of(learner)); })
      .def_prop_ro("n_features", [](const S& l) { return l.settings().dims; })
      .def_prop_ro("n_seen", field<L>([](const State& s) { return s.n_seen; }))
      .def_prop_ro("n_events", field<L>([](const State& s) {
                     return s.lineage.n_dropped +
                            static_cast<std::int64_t>(s.lineage.events.size());
                   }))
      .def_prop_ro("n_nodes", field<L>([](const State& s) { return s.nodes.size(); }));
}

}  // namespace

void bind_learner(nb::module_& m) {
  auto learner = nb::class_<Shared>(
      m, "Learner", "The online learner of PHIDA. The switches are the paper's ablations.");
  learner
      .def(
          "__init__",
          [](Shared* self, std::size_t n_features, bool released, bool ph, bool refresh,
             bool remove, bool prune, bool mapping) {
            if (n_features == 0) throw nb::value_error("n_features must be positive");
            new (self) Shared(Learner({.dims = n_features,
                                       .released = released,
                                       .switches = {ph, refresh, remove, prune, mapping}}));
          },
          nb::arg("n_features"), nb::kw_only(), nb::arg("released") = false, nb::arg("ph") = true,
          nb::arg("refresh") = true, nb::arg("remove") = true, nb::arg("prune") = true,
          nb::arg("mapping") = true)
      .def("learn", &learn, nb::arg("samples").noconvert(),
           "Learn rows in order. The caller has checked that every value is finite.")
      .def("last_step", &last_step)
      .def("__setstate__",
           [](Shared& self, const nb::dict& d) { new (&self) Shared(learner_from(d)); })
      .def_prop_ro("interval",
                   field<Learner>([](const LearnerState& s) { return s.vigilance.interval; }))
      .def_prop_ro("vigilance",
                   field<Learner>([](const LearnerState& s) { return s.vigilance.threshold; }))
      .def_prop_ro("ratio",
                   field<Learner>([](const LearnerState& s) { return s.vigilance.ratio; }));
  bind_shared(learner);

  auto plus = nb::class_<SharedPlus>(m, "PlusLearner", "The online learner of PHIDA+.");
  plus.def(
          "__init__",
          [](SharedPlus* self, std::size_t n_features, const nb::kwargs& settings) {
            new (self) SharedPlus(PlusLearner(settings_from(n_features, settings)));
          },
          nb::arg("n_features"), nb::arg("settings"),
          nb::sig("def __init__(self, n_features: int, **settings: float) -> None"),
          "The settings are the fields of FineSettings, as a model file has them.")
      .def("learn", &learn_weighted, nb::arg("samples").noconvert(),
           nb::arg("weights").noconvert() = nb::none(), nb::kw_only(), nb::arg("follow") = true,
           "Learn rows in order, each counting for as many rows as its weight says. Every value "
           "must be finite; the caller has checked. If clusters are not followed, end_learning "
           "maps the nodes.")
      .def("merge", &merge, nb::arg("others"), nb::kw_only(), nb::arg("follow") = true,
           nb::arg("one_stream") = false,
           "Add the nodes of other learners with the same settings. If clusters are not followed, "
           "end_learning maps the nodes. Examples of parts of one stream keep their row numbers.")
      .def("number_examples", &number_examples, nb::arg("part"), nb::arg("n_parts"),
           nb::arg("block"),
           "Number the rows of examples by the stream whose blocks were dealt to several learners.")
      .def("last_step", &last_plus_step)
      .def(
          "examples",
          [](SharedPlus& learner) {
            Examples examples(0);
            {
              const nb::gil_scoped_release released;
              examples = learner.examples();
            }
            nb::dict d;
            d["cluster"] = to_array(examples.cluster);
            d["row"] = to_array(examples.row);
            d["values"] = to_array(examples.values);
            return d;
          },
          "Return example rows of the clusters, as columns.")
      .def("__setstate__", [](SharedPlus& self,
                              const nb::dict& d) { new (&self) SharedPlus(plus_learner_from(d)); })
      .def_prop_ro("allowance",
                   field<PlusLearner>([](const PlusState& s) { return s.allowance / s.unit; }));
  bind_shared(plus);
}

}  // namespace phida::bindings
