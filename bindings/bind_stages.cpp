// Single stages, for tests and experiments; learning does not use them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <numeric>
#include <optional>

#include "arrays.hpp"
#include "assignment/assign.hpp"
#include "mapping/ph_view.hpp"
#include "merges.hpp"
#include "metric/feature_transform.hpp"
#include "metric/feature_weights.hpp"
#include "nodes/matching.hpp"
#include "nodes/vigilance.hpp"
#include "numeric/elementary.hpp"
#include "numeric/entropy_count.hpp"
#include "numeric/hazen_quantile.hpp"
#include "topology/h0_persistence.hpp"
#include "topology/knn_graph.hpp"
#include "topology/ph_components.hpp"

namespace phida::bindings {
namespace {

std::vector<std::int32_t> all_of(std::size_t n) {
  std::vector<std::int32_t> members(n);
  std::iota(members.begin(), members.end(), 0);
  return members;
}

Moments moments_of(double count, const Vector& m2) {
  Moments moments(m2.shape(0));
  moments.count = count;
  std::copy_n(m2.data(), m2.shape(0), moments.m2.begin());
  return moments;
}

double quantile(const Vector& values, double q) {
  std::vector<double> copy(values.data(), values.data() + values.shape(0));
  return hazen_quantile(copy, q);
}

nb::dict transform(const Matrix& rows) {
  FeatureTransform transform;
  const RowMatrix y = to_rows(rows);
  ColumnQuartiles quartiles;
  fit_scaling(y, all_of(y.rows()), 0, quartiles, transform);
  fit_center(y, all_of(y.rows()), transform);
  nb::dict d;
  d["center"] = to_array(std::span<const double>{transform.center.data(), rows.shape(1)});
  d["inverse"] = to_array(std::span<const double>{transform.inverse.data(), rows.shape(1)});
  d["gamma"] = transform.gamma;
  return d;
}

nb::object weights(const Matrix& m2, const Vector& support, double count, const Vector& stream_m2) {
  const RowMatrix rows = to_rows(m2);
  RowMatrix out(rows.cols());
  out.resize(rows.rows());
  AlignedDoubles variance;
  global_variance(moments_of(count, stream_m2), rows.cols(), variance);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    kernels().feature_weights(rows[i], support.data()[i], variance.data(), out[i], rows.stride());
  return to_array(out);
}

nb::tuple nearest_two(const Vector& query, const Matrix& rows, const std::optional<Vector>& inverse,
                      double gamma, const Matrix& m2, const Vector& support, double count,
                      const Vector& stream_m2) {
  const RowMatrix y = to_rows(rows), spread = to_rows(m2);
  const Moments moments = moments_of(count, stream_m2);
  Matcher matcher(y.cols());
  matcher.assign(y);
  AlignedDoubles scaling;
  if (inverse) scaling = to_padded(*inverse);
  const Match match =
      matcher.nearest_two(to_padded(query).data(), inverse ? scaling.data() : nullptr, gamma, y,
                          {spread, as_span(support), moments});
  return nb::make_tuple(match.winner, match.runner_up, match.winner_distance,
                        match.runner_up_distance);
}

nb::dict graph_dict(const KnnGraph& graph) {
  nb::dict d;
  d["k"] = graph.k;
  d["candidate"] = to_matrix(graph.candidate, graph.size(), graph.k);
  d["distance"] = to_matrix(graph.distance, graph.size(), graph.k);
  d["row_threshold"] = to_array(graph.row_threshold);
  d["global_threshold"] = graph.global_threshold;
  d["offset"] = to_array(graph.edges.offset);
  d["neighbour"] = to_array(graph.edges.neighbour);
  d["length"] = to_array(graph.edges.length);
  return d;
}

nb::dict knn_graph(const Matrix& rows, const std::optional<Matrix>& m2,
                   const std::optional<Vector>& support, double count,
                   const std::optional<Vector>& stream_m2) {
  KnnGraph graph;
  KnnGraphBuilder builder;
  const RowMatrix y = to_rows(rows);
  FeatureTransform transform;
  ColumnQuartiles quartiles;
  if (y.rows() > 0) fit_scaling(y, all_of(y.rows()), 0, quartiles, transform);
  if (m2) {
    const RowMatrix spread = to_rows(*m2);
    const Moments moments = moments_of(count, *stream_m2);
    builder.build(y, all_of(y.rows()), transform, WeightSource{spread, as_span(*support), moments},
                  {}, graph);
  } else {
    builder.build(y, all_of(y.rows()), transform, std::nullopt, {}, graph);
  }
  return graph_dict(graph);
}

CsrGraph to_graph(const Indices& offset, const Indices& neighbour) {
  CsrGraph graph;
  graph.offset.assign(offset.data(), offset.data() + offset.shape(0));
  graph.neighbour.assign(neighbour.data(), neighbour.data() + neighbour.shape(0));
  graph.length.assign(neighbour.shape(0), 0.0);
  return graph;
}

nb::dict ph_components(const Indices& offset, const Indices& neighbour, const Vector& support,
                       bool prune) {
  const CsrGraph graph = to_graph(offset, neighbour);
  std::vector<std::uint8_t> input(support.shape(0), 1);
  if (prune) choose_input(graph, as_span(support), input);
  Persistence persistence;
  H0Persistence().compute(graph, as_span(support), input, persistence);
  PhComponents components;
  std::vector<double> scratch;
  cut_components(persistence, as_span(support), scratch, components);
  nb::dict d;
  d["input"] = to_array(input);
  d["base"] = to_array(persistence.base);
  d["partner"] = to_array(persistence.partner);
  d["value"] = to_array(persistence.value);
  d["threshold"] = components.threshold;
  d["component"] = to_array(components.component);
  d["mode"] = to_array(components.mode);
  d["persistence"] = to_array(components.persistence);
  return d;
}

nb::dict hierarchy(const Matrix& rows, const Vector& support, const Indices& component,
                   const Vector& persistence) {
  PhComponents components;
  components.component.assign(component.data(), component.data() + component.shape(0));
  components.persistence.assign(persistence.data(), persistence.data() + persistence.shape(0));
  components.mode.assign(persistence.shape(0), 0);
  ComponentMass mass;
  std::vector<double> scratch;
  weigh_components(components, as_span(support), scratch, mass);
  ComponentHierarchy hierarchy;
  HierarchyBuilder builder;
  const RowMatrix y = to_rows(rows);
  builder.find_centroids(y, all_of(y.rows()), components, mass, hierarchy);
  builder.agglomerate(mass, hierarchy);
  std::vector<std::int32_t> inside;
  for (std::size_t v = 0; v < y.rows(); ++v)
    if (component.data()[v] >= 0) inside.push_back(static_cast<std::int32_t>(v));
  center_centroids(y, inside, hierarchy);
  nb::dict d;
  d["mass"] = to_array(mass.component);
  d["minimum_count"] = mass.minimum_count;
  d["centroid"] = to_array(hierarchy.centroid);
  d["graph"] = graph_dict(hierarchy.graph);
  put_merges(d, hierarchy.merges);
  d["level"] = hierarchy.level;
  d["cluster"] = to_array(clusters_at(hierarchy.merges, hierarchy.level, components.count()));
  return d;
}

std::size_t level_of(const Vector& heights) {
  std::vector<Merge> merges;
  for (const double height : as_span(heights)) merges.push_back({0, 0, height});
  return cut_level(merges);
}

nb::tuple assign(const Matrix& rows, const Vector& support, const Indices& cluster,
                 std::size_t n_clusters, const Matrix& samples) {
  const RowMatrix y = to_rows(rows);
  NodeMap map;
  ColumnQuartiles quartiles;
  fit_scaling(y, all_of(y.rows()), 0, quartiles, map.transform);
  const AssignmentView view = make_view(y, as_span(support), as_span(cluster), n_clusters, map);
  Assigner assigner(view);
  std::vector<double> scores(samples.shape(0) * n_clusters);
  std::vector<std::int64_t> labels(samples.shape(0));
  assigner.scores(samples.data(), samples.shape(0), scores.data());
  assigner.labels(samples.data(), samples.shape(0), labels.data());
  return nb::make_tuple(to_array(labels), to_matrix(scores, samples.shape(0), n_clusters));
}

// The read-out of PHIDA+ for nodes in the metric.
nb::tuple vigilance(const Matrix& samples, const std::optional<Vector>& inverse,
                    std::size_t interval, double threshold, double ratio, double current_ratio,
                    double alpha) {
  const std::size_t dims = samples.shape(1);
  SampleBuffer buffer(dims);
  for (std::size_t i = 0; i < samples.shape(0); ++i) buffer.append(samples.data() + i * dims);
  SimilarityWindow window(dims);
  AlignedDoubles scaling;
  if (inverse) scaling = to_padded(*inverse);
  const Vigilance after =
      recalculate({interval, threshold, ratio}, buffer, inverse ? scaling.data() : nullptr, alpha,
                  current_ratio, window);
  return nb::make_tuple(after.interval, after.threshold, after.ratio);
}

}  // namespace

void bind_stages(nb::module_& m) {
  m.def("log", &portable_log, nb::arg("x"));
  m.def("exp", &portable_exp, nb::arg("x"));
  m.def("pow", &portable_pow, nb::arg("base"), nb::arg("exponent"));
  m.def(
      "entropy_count", [](const Vector& masses) { return entropy_count(as_span(masses)); },
      nb::arg("masses"));
  m.def("hazen_quantile", &quantile, nb::arg("values"), nb::arg("q"));
  m.def("adaptive_transform", &transform, nb::arg("rows"));
  m.def("feature_weights", &weights, nb::arg("m2"), nb::arg("support"), nb::arg("count"),
        nb::arg("stream_m2"));
  m.def("nearest_two", &nearest_two, nb::arg("query"), nb::arg("rows"), nb::arg("inverse").none(),
        nb::arg("gamma"), nb::arg("m2"), nb::arg("support"), nb::arg("count"),
        nb::arg("stream_m2"));
  m.def("knn_graph", &knn_graph, nb::arg("rows"), nb::arg("m2").none() = nb::none(),
        nb::arg("support").none() = nb::none(), nb::arg("count") = 0.0,
        nb::arg("stream_m2").none() = nb::none());
  m.def("ph_components", &ph_components, nb::arg("offset"), nb::arg("neighbour"),
        nb::arg("support"), nb::arg("prune") = true);
  m.def("hierarchy", &hierarchy, nb::arg("rows"), nb::arg("support"), nb::arg("component"),
        nb::arg("persistence"));
  m.def("cut_level", &level_of, nb::arg("heights"));
  m.def("assign", &assign, nb::arg("rows"), nb::arg("support"), nb::arg("cluster"),
        nb::arg("n_clusters"), nb::arg("samples"));
  m.def("recalculate_vigilance", &vigilance, nb::arg("samples"), nb::arg("inverse").none(),
        nb::arg("interval"), nb::arg("threshold"), nb::arg("ratio"), nb::arg("current_ratio"),
        nb::arg("alpha"));
}

}  // namespace phida::bindings
