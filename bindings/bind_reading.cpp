#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <limits>

#include "arrays.hpp"
#include "assignment/assign.hpp"
#include "co_wins_state.hpp"
#include "merges.hpp"
#include "nodes/fit_margins.hpp"
#include "reading/reading.hpp"
#include "signals.hpp"

namespace phida::bindings {
namespace {

void check_width(const Reading& reading, const Matrix& samples) {
  if (samples.shape(1) != reading.view.dims())
    throw nb::value_error("samples have the wrong number of features");
}

nb::object assign(const Reading& reading, const Matrix& samples, std::size_t threads) {
  check_width(reading, samples);
  const std::size_t n = samples.shape(0);
  std::int64_t* labels = nullptr;
  nb::object array = new_array<std::int64_t>({n}, labels);
  {
    const nb::gil_scoped_release released;
    if (phida::assign(reading.view, samples.data(), n, threads, no_signal, labels))
      labels = nullptr;
  }
  if (labels != nullptr) throw nb::python_error();  // what the signal handler raised
  return array;
}

nb::object scores(const Reading& reading, const Matrix& samples, std::size_t threads) {
  check_width(reading, samples);
  const std::size_t n = samples.shape(0);
  double* values = nullptr;
  nb::object array = new_array<double>({n, reading.view.n_clusters()}, values);
  {
    const nb::gil_scoped_release released;
    if (score(reading.view, samples.data(), n, threads, no_signal, values)) values = nullptr;
  }
  if (values != nullptr) throw nb::python_error();
  return array;
}

// In slices of about fifty milliseconds, so that a signal gets through.
nb::object margins(const Reading& reading, const Matrix& samples) {
  check_width(reading, samples);
  const std::size_t n = samples.shape(0), dims = reading.nodes.dims();
  const std::size_t slice = std::max<std::size_t>(1, (1u << 26) / (dims * reading.nodes.size()));
  double* values = nullptr;
  nb::object array = new_array<double>({n}, values);
  for (std::size_t first = 0; first < n; first += slice) {
    if (first > 0 && !no_signal()) throw nb::python_error();
    const nb::gil_scoped_release released;
    fit_margins(reading.nodes, reading.moments, reading.vigilance, samples.data() + first * dims,
                std::min(slice, n - first), values + first);
  }
  return array;
}

std::vector<std::int32_t> as_nodes(const PhView& ph, std::vector<std::int32_t> vertices) {
  for (std::int32_t& v : vertices) v = v < 0 ? kNone : ph.members[v];
  return vertices;
}

nb::dict nodes(const Reading& reading) {
  const NodeState& nodes = reading.nodes;
  nb::dict d;
  d["id"] = to_array(nodes.id);
  d["birth"] = to_array(nodes.birth);
  d["representatives"] = to_array(nodes.representative);
  d["support"] =
      reading.counted ? to_array_of<std::int64_t>(nodes.support) : to_array(nodes.support);
  d["scale"] = to_array(nodes.scale);
  d["active"] = to_array_of<bool>(nodes.active);
  d["component"] = to_array_of<std::int64_t>(nodes.component);
  d["cluster"] = to_array_of<std::int64_t>(reading.cluster);
  return d;
}

nb::dict graph(const Reading& reading) {
  const PhView& ph = reading.ph;
  const CsrGraph& edges = ph.graph.edges;
  std::vector<std::int32_t> from, to, isolated;
  std::vector<double> distance;
  for (std::size_t v = 0; v < ph.members.size(); ++v) {
    if (edges.degree(v) == 0) isolated.push_back(ph.members[v]);
    for (std::int32_t e = edges.offset[v]; e < edges.offset[v + 1]; ++e) {
      if (edges.neighbour[e] < static_cast<std::int32_t>(v)) continue;
      from.push_back(ph.members[v]);
      to.push_back(ph.members[edges.neighbour[e]]);
      distance.push_back(edges.length[e]);
    }
  }
  nb::dict d;
  d["nodes"] = to_array_of<std::int64_t>(ph.members);
  d["source"] = to_array_of<std::int64_t>(from);
  d["target"] = to_array_of<std::int64_t>(to);
  d["distance"] = to_array(distance);
  d["k"] = ph.graph.k;
  d["node_threshold"] = to_array(ph.graph.row_threshold);
  d["global_threshold"] = ph.graph.global_threshold;
  d["isolated"] = to_array_of<std::int64_t>(isolated);
  return d;
}

// A mode is a node that heads its own tree once it is activated.
nb::dict persistence(const Reading& reading) {
  const PhView& ph = reading.ph;
  std::vector<std::int32_t> mode, partner;
  std::vector<double> birth, death;
  for (std::size_t v = 0; v < ph.members.size(); ++v) {
    if (ph.persistence.base[v] != static_cast<std::int32_t>(v)) continue;
    mode.push_back(static_cast<std::int32_t>(v));
    partner.push_back(ph.persistence.partner[v]);
    birth.push_back(ph.persistence.birth[v]);
    death.push_back(ph.persistence.death[v]);
  }
  nb::dict d;
  d["node"] = to_array_of<std::int64_t>(as_nodes(ph, mode));
  d["birth"] = to_array(birth);
  d["death"] = to_array(death);
  d["partner"] = to_array_of<std::int64_t>(as_nodes(ph, partner));
  d["input_nodes"] = to_array_of<std::int64_t>(ph.members);
  d["base"] = to_array_of<std::int64_t>(as_nodes(ph, ph.persistence.base));
  d["threshold"] = ph.components.threshold;
  return d;
}

const char* mapping_name(const Reading& reading) {
  return reading.map.mapping == Mapping::kCoactivation ? "coactivation" : "persistence";
}

void put_map(nb::dict& d, const NodeMap& map) {
  d["group"] = to_array_of<std::int64_t>(map.group);
  d["cluster"] = to_array_of<std::int64_t>(clusters_at(map.merges, map.level, map.n_groups));
  put_merges(d, map.merges);
  d["level"] = map.level;
}

// Single nodes are the groups: what stands for a component is the node itself.
nb::dict coactivation_hierarchy(const Reading& reading) {
  const std::size_t n = reading.map.n_groups, dims = reading.nodes.dims();
  std::vector<std::int64_t> node;
  for (std::size_t i = 0; i < reading.nodes.size(); ++i)
    if (reading.map.group[i] != kNone) node.push_back(static_cast<std::int64_t>(i));
  FeatureTransform transform = reading.view.transform;
  fit_center(reading.nodes.representative, reading.view.member, transform);
  std::vector<double> mass;
  RowMatrix centroid(dims);
  centroid.resize(n);
  for (std::size_t g = 0; g < n; ++g) {
    mass.push_back(reading.nodes.support[node[g]]);
    for (std::size_t j = 0; j < dims; ++j)
      centroid[g][j] =
          (reading.nodes.representative[node[g]][j] - transform.center[j]) * transform.inverse[j];
  }
  nb::dict d;
  d["mapping"] = mapping_name(reading);
  d["mode"] = to_array(node);
  d["persistence"] = to_array(std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
  d["mass"] = to_array(mass);
  d["centroid"] = to_array(centroid);
  d["minimum_count"] = 1;
  put_map(d, reading.map);
  return d;
}

nb::dict hierarchy(const Reading& reading) {
  if (reading.map.mapping == Mapping::kCoactivation) return coactivation_hierarchy(reading);
  const PhView& ph = reading.ph;
  ComponentHierarchy h = ph.hierarchy;
  center_centroids(reading.nodes.representative, reading.view.member, h);
  nb::dict d;
  d["mapping"] = mapping_name(reading);
  d["mode"] = to_array_of<std::int64_t>(as_nodes(ph, ph.components.mode));
  d["persistence"] = to_array(ph.components.persistence);
  d["mass"] = to_array(ph.mass.component);
  d["centroid"] = to_array(h.centroid);
  d["minimum_count"] = ph.mass.minimum_count;
  put_map(d, reading.map);
  return d;
}

nb::dict view(const Reading& reading) {
  const AssignmentView& view = reading.view;
  FeatureTransform transform = view.transform;
  fit_center(reading.nodes.representative, view.member, transform);
  const auto real = [&](const AlignedDoubles& row) {
    return std::span<const double>{row.data(), view.dims()};
  };
  std::vector<double> denominator;
  for (const double inverse : real(transform.inverse)) denominator.push_back(1.0 / inverse);
  std::vector<double> share = view.cluster_support;
  double total = 0.0;
  for (const double s : share) total += s;
  for (double& s : share) s /= total;
  nb::dict d;
  d["center"] = to_array(real(transform.center));
  d["denominator"] = to_array(denominator);
  d["gamma"] = transform.gamma;
  d["support_share"] = to_array(share);
  d["concentration"] = view.concentration;
  return d;
}

// Mean and standard deviation per feature of the samples learned.
nb::dict moments(const Reading& reading) {
  const Moments& m = reading.moments;
  std::vector<double> deviation;
  for (std::size_t j = 0; j < reading.nodes.dims(); ++j)
    deviation.push_back(std::sqrt(m.m2[j] / std::max(m.count - 1.0, 1.0)));
  nb::dict d;
  d["mean"] = to_array(std::span<const double>{m.mean.data(), reading.nodes.dims()});
  d["deviation"] = to_array(deviation);
  return d;
}

// Support-weighted means of the representatives, in raw space.
nb::object cluster_centers(const Reading& reading) {
  const std::size_t dims = reading.nodes.dims(), n_clusters = reading.view.n_clusters();
  double* data = nullptr;
  nb::object array = new_array<double>({n_clusters, dims}, data);
  std::fill_n(data, n_clusters * dims, 0.0);
  for (std::size_t i = 0; i < reading.nodes.size(); ++i) {
    if (reading.cluster[i] == kNone) continue;
    const auto c = static_cast<std::size_t>(reading.cluster[i]);
    const double share = reading.nodes.support[i] / reading.view.cluster_support[c];
    const double* const row = reading.nodes.representative[i];
    for (std::size_t j = 0; j < dims; ++j) data[c * dims + j] += share * row[j];
  }
  return array;
}

nb::dict co_wins(const Reading& reading) {
  nb::dict d;
  put_co_wins(d, reading.nodes.co_wins);
  d["co_unit"] = reading.counted ? 1 : CoWins::kFading;
  return d;
}

}  // namespace

void bind_reading(nb::module_& m) {
  nb::class_<Reading>(m, "Reading", "An immutable view of the model, as if learning had ended.")
      .def("assign", &assign, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Label per row.")
      .def("scores", &scores, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Score h_c per row and cluster.")
      .def("margins", &margins, nb::arg("samples").noconvert(),
           "Per row, by how much the similarity to its winner is above the vigilance.")
      .def(
          "recent_margins", [](const Reading& r) { return to_array(r.margins); },
          "The margins of the latest samples, when they were learned.")
      .def("at_level", &at_level, nb::arg("level"), nb::call_guard<nb::gil_scoped_release>(),
           "The same components, after so many of all merges.")
      .def(
          "merge_heights",
          [](const Reading& r) {
            std::vector<double> heights;
            for (const Merge& merge : all_merges(r)) heights.push_back(merge.height);
            return to_array(heights);
          },
          "Heights of all merges, those below the least number of clusters too.")
      .def("cluster_ids", [](const Reading& r) { return to_array(r.cluster_id); })
      .def("nodes", &nodes)
      .def("graph", &graph)
      .def("persistence", &persistence)
      .def("hierarchy", &hierarchy)
      .def("view", &view)
      .def("moments", &moments)
      .def("co_wins", &co_wins, "How often one node won and another was its runner-up.")
      .def("cluster_centers", &cluster_centers)
      .def_prop_ro("n_nodes", [](const Reading& r) { return r.nodes.size(); })
      .def_prop_ro("n_active_nodes",
                   [](const Reading& r) {
                     return std::count(r.nodes.active.begin(), r.nodes.active.end(), 1);
                   })
      .def_prop_ro("n_components", [](const Reading& r) { return r.ph.n_components(); })
      .def_prop_ro("mapping", &mapping_name, "The rule that made the clusters.")
      .def_prop_ro("n_groups", [](const Reading& r) { return r.map.n_groups; })
      .def_prop_ro("n_clusters", [](const Reading& r) { return r.map.n_clusters(); });
}

}  // namespace phida::bindings
