#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include "arrays.hpp"
#include "assignment/assign.hpp"
#include "merges.hpp"
#include "reading/reading.hpp"
#include "reading/size_tree.hpp"
#include "reading/summaries.hpp"
#include "signals.hpp"

namespace phida::bindings {
namespace {

void check_width(const Reading& reading, const Matrix& samples) {
  if (samples.shape(1) != reading.view.dims())
    throw nb::value_error("samples have the wrong number of features");
}

nb::object assign(const Reading& reading, const Matrix& samples, std::size_t threads) {
  check_width(reading, samples);
  return per_row(samples, [&](std::int64_t* labels) {
    return phida::assign(reading, samples.data(), samples.shape(0), threads, no_signal, labels);
  });
}

nb::object assign_ids(const Reading& reading, const Matrix& samples, std::size_t threads) {
  check_width(reading, samples);
  return per_row(samples, [&](std::int64_t* ids) {
    return phida::assign_ids(reading, samples.data(), samples.shape(0), threads, no_signal, ids);
  });
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

// Works in slices of about fifty milliseconds, between which signals are handled.
nb::object margins(const Reading& reading, const Matrix& samples) {
  check_width(reading, samples);
  const std::size_t n = samples.shape(0), dims = reading.nodes.dims();
  const std::size_t slice = std::max<std::size_t>(1, (1u << 26) / (dims * reading.nodes.size()));
  double* values = nullptr;
  nb::object array = new_array<double>({n}, values);
  for (std::size_t first = 0; first < n; first += slice) {
    if (first > 0 && !no_signal()) throw nb::python_error();
    const nb::gil_scoped_release released;
    margins_of(reading, samples.data() + first * dims, std::min(slice, n - first), values + first);
  }
  return array;
}

nb::dict nodes(const Reading& reading) {
  const NodeState& nodes = reading.nodes;
  nb::dict d;
  d["id"] = to_array(nodes.id);
  d["birth"] = to_array(nodes.birth);
  d["representatives"] = to_array(nodes.representative);
  d["support"] =
      reading.counted ? to_array_of<std::int64_t>(nodes.support) : to_array(nodes.support);
  d["rows"] = to_array(nodes.lineage.won);
  d["scale"] = to_array(nodes.scale);
  d["active"] = to_array_of<bool>(nodes.active);
  d["component"] = to_array_of<std::int64_t>(nodes.component);
  d["cluster"] = to_array_of<std::int64_t>(reading.cluster);
  std::vector<std::int64_t> cluster_id;
  for (const std::int32_t c : reading.cluster)
    cluster_id.push_back(c == kNone ? kNone : reading.cluster_id[c]);
  d["cluster_id"] = to_array(cluster_id);
  return d;
}

// The links that join trees; the refused ones would join two clusters.
nb::dict density_graph(const Reading& reading) {
  std::vector<std::int64_t> from, to, nodes;
  for (const Link& link : reading.density.link) {
    from.push_back(std::min(link.a, link.b));
    to.push_back(std::max(link.a, link.b));
  }
  const std::vector<double> distance = link_lengths(reading);
  for (std::size_t i = 0; i < reading.nodes.size(); ++i)
    nodes.push_back(static_cast<std::int64_t>(i));
  nb::dict d;
  d["nodes"] = to_array(nodes);
  d["source"] = to_array(from);
  d["target"] = to_array(to);
  d["distance"] = to_array(distance);
  d["k"] = kDensityEdges;
  d["node_threshold"] = to_array(std::vector<double>{});
  d["global_threshold"] = std::numeric_limits<double>::infinity();
  d["isolated"] = to_array(std::vector<std::int64_t>{});
  return d;
}

nb::dict graph(const Reading& reading) {
  if (reading.map.leaves == Leaf::kNode) return density_graph(reading);
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

nb::dict persistence(const Reading& reading) {
  const Peaks peaks = peaks_of(reading);
  nb::dict d;
  d["node"] = to_array(peaks.node);
  d["birth"] = to_array(peaks.birth);
  d["death"] = to_array(peaks.death);
  d["partner"] = to_array(peaks.partner);
  d["input_nodes"] = to_array(peaks.input);
  d["base"] = to_array(peaks.base);
  if (reading.map.leaves == Leaf::kComponent) {
    d["threshold"] = peaks.threshold;
  } else {
    d["threshold"] = to_array(peaks.chance);
    d["scale"] = to_array(peaks.scale);
  }
  return d;
}

const char* name_of(Leaf leaf) { return leaf == Leaf::kComponent ? "component" : "node"; }

const char* name_of(Height height) {
  switch (height) {
    case Height::kProminence: return "prominence";
    case Height::kSize: return "size";
    default: return "dispersion";
  }
}

nb::dict hierarchy(const Reading& reading) {
  const NodeMap& map = reading.map;
  const Leaves leaves = leaves_of(reading);
  nb::dict d;
  d["leaves"] = name_of(map.leaves);
  d["height"] = name_of(map.height);
  d["threshold"] = threshold_of(map.height);
  d["mode"] = to_array(leaves.node);
  d["persistence"] = to_array(leaves.persistence);
  d["mass"] = to_array(leaves.mass);
  d["centroid"] = to_array(leaves.centroid);
  d["leaf"] = to_array_of<std::int64_t>(map.leaf);
  d["cluster"] = to_array_of<std::int64_t>(clusters_at(map.merges, map.level, map.n_leaves));
  put_merges(d, map.merges);
  if (map.height == Height::kProminence) {
    d["merge_prominence"] = to_array(reading.density.prominence);
    d["merge_chance"] = to_array(reading.density.chance);
  }
  d["minimum_count"] = leaves.minimum_count;
  d["level"] = map.level;
  return d;
}

nb::dict view(const Reading& reading) {
  const AssignmentView& view = reading.view;
  const FeatureTransform transform = centered_metric(reading);
  const auto real = [&](const AlignedDoubles& row) {
    return std::span<const double>{row.data(), view.dims()};
  };
  std::vector<double> denominator;
  for (const double inverse : real(transform.inverse)) denominator.push_back(1.0 / inverse);
  nb::dict d;
  d["center"] = to_array(real(transform.center));
  d["denominator"] = to_array(denominator);
  d["gamma"] = transform.gamma;
  d["support_share"] = to_array(support_shares(view));
  d["concentration"] = view.concentration;
  return d;
}

nb::dict moments(const Reading& reading) {
  const std::size_t dims = reading.nodes.dims();
  nb::dict d;
  d["mean"] = to_array(std::span<const double>{reading.moments.mean.data(), dims});
  d["deviation"] = to_array(deviations(reading.moments, dims));
  return d;
}

}  // namespace

void bind_reading(nb::module_& m) {
  nb::class_<Reading>(m, "Reading", "An immutable view of the model.")
      .def("assign", &assign, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Return the label of each row.")
      .def("assign_ids", &assign_ids, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Return the lasting id of each row: that of its label.")
      .def("scores", &scores, nb::arg("samples").noconvert(), nb::arg("threads") = 1,
           "Return the score h_c of each row and cluster.")
      .def("margins", &margins, nb::arg("samples").noconvert(),
           "Return each row's similarity to its winner minus the vigilance.")
      .def(
          "usual_margins", [](const Reading& r) { return to_array(usual_margins(r)); },
          "Return the margins of the latest samples, for comparison with new rows.")
      .def("at_level", &at_level, nb::arg("level"), nb::call_guard<nb::gil_scoped_release>(),
           "Return the same leaves after the first merges, up to a level.")
      .def("with_clusters", &with_clusters, nb::arg("n"), nb::call_guard<nb::gil_scoped_release>(),
           "Return a cut into n clusters; that of PHIDA+ is by size.")
      .def(
          "merge_heights",
          [](const Reading& r) {
            std::vector<double> heights;
            for (const Merge& merge : all_merges(r)) heights.push_back(merge.height);
            return to_array(heights);
          },
          "Heights of all merges, also below the minimum number of clusters.")
      .def("cluster_ids", [](const Reading& r) { return to_array(r.cluster_id); })
      .def("nodes", &nodes)
      .def("graph", &graph)
      .def("persistence", &persistence)
      .def("hierarchy", &hierarchy)
      .def("view", &view)
      .def("moments", &moments)
      .def("cluster_centers", [](const Reading& r) { return to_array(cluster_centers(r)); })
      .def_prop_ro("n_nodes", [](const Reading& r) { return r.nodes.size(); })
      .def_prop_ro("n_active_nodes",
                   [](const Reading& r) {
                     return std::count(r.nodes.active.begin(), r.nodes.active.end(), 1);
                   })
      .def_prop_ro("n_components", [](const Reading& r) { return r.ph.n_components(); })
      .def_prop_ro("n_leaves", [](const Reading& r) { return r.map.n_leaves; })
      .def_prop_ro("leaves", [](const Reading& r) { return name_of(r.map.leaves); })
      .def_prop_ro("n_clusters", [](const Reading& r) { return r.map.n_clusters(); });
}

}  // namespace phida::bindings
