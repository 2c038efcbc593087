"""The records of a fitted model: read-only, complete, convertible to tables."""

import builtins
import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
from data import drifting

from phida import PHIDA, PHIDAPlus, records

MODELS = {"PHIDA": PHIDA().fit(drifting(400)), "PHIDAPlus": PHIDAPlus().fit(drifting(400))}
MODEL = MODELS["PHIDA"]
RECORDS = ["nodes_", "graph_", "persistence_", "hierarchy_", "assignment_view_", "moments_"]

each_record = pytest.mark.parametrize(("model", "name"), [(model, name) for model in MODELS for name in RECORDS])


@each_record
def test_records_are_read_only(model, name):
    record = getattr(MODELS[model], name)
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field.name, value)
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0


@each_record
def test_every_field_is_documented(model, name):
    """records.py documents each field by a string below it."""
    source = Path(records.__file__).read_text(encoding="utf-8")
    for field in dataclasses.fields(getattr(MODELS[model], name)):
        assert re.search(f'    {field.name}: {re.escape(field.type)}( = None)?\n    """', source), field.name


def test_nodes_convert_to_a_table():
    nodes = MODEL.nodes_
    table = nodes.to_pandas()
    assert len(table) == len(nodes) == MODEL.n_nodes_
    assert table.columns.tolist() == [
        "id", "birth", "support", "rows", "scale", "active", "component", "cluster", "cluster_id", "x0", "x1", "x2",
    ]  # fmt: skip
    np.testing.assert_array_equal(table[["x0", "x1", "x2"]], nodes.representatives)
    assert table["active"].dtype == bool
    assert table["rows"].sum() == MODEL.n_samples_seen_


def test_graph_converts_to_a_table():
    graph, n = MODEL.graph_, MODEL.n_nodes_
    table = graph.to_pandas()
    assert table.columns.tolist() == ["source", "target", "distance"]
    assert (table["source"] < table["target"]).all() and table["target"].max() < n
    # Edge lengths are limited by both ends and by all edges, except to a node's nearest neighbour.
    position = {node: i for i, node in enumerate(graph.nodes.tolist())}
    degree = np.bincount(np.concatenate([graph.source, graph.target]), minlength=n)
    assert set(graph.isolated) == {node for node in position if degree[node] == 0}
    assert len(graph.node_threshold) == len(graph.nodes)


def test_persistence_converts_to_a_table():
    record = MODEL.persistence_
    table = record.to_pandas()
    assert table.columns.tolist() == ["node", "birth", "death", "persistence", "partner"]
    support = MODEL.nodes_.support
    np.testing.assert_allclose(table["birth"], np.log(support[record.node]), rtol=1e-14)
    survives = np.isinf(record.persistence)
    assert survives.any()
    assert ((record.partner == -1) == survives).all()
    # Base modes are modes; isolated nodes have none.
    assert set(record.base) - {-1} == set(record.node)
    assert set(record.input_nodes[record.base == -1]) <= set(MODEL.graph_.isolated)


def test_hierarchy_converts_to_tables():
    hierarchy = MODEL.hierarchy_
    merges, components = hierarchy.to_pandas(), hierarchy.components_to_pandas()
    assert merges.columns.tolist() == ["into", "from", "height", "made"]
    assert merges["made"].sum() == hierarchy.level
    assert components.columns.tolist() == ["mode", "persistence", "mass", "cluster"]
    assert len(components) == MODEL.n_components_
    # The mode of a component is one of its nodes.
    np.testing.assert_array_equal(MODEL.nodes_.component[hierarchy.mode], np.arange(MODEL.n_components_))


def test_records_of_phida_plus_convert_to_tables():
    model = MODELS["PHIDAPlus"]
    merges, modes = model.hierarchy_.to_pandas(), model.persistence_.to_pandas()
    assert merges.columns.tolist() == ["into", "from", "height", "made", "prominence", "chance"]
    assert modes.columns.tolist() == ["node", "birth", "death", "persistence", "partner", "threshold", "scale"]
    assert merges["made"].sum() == model.n_nodes_ - model.n_clusters_
    assert len(model.cut(n_clusters=1).hierarchy_.to_pandas()) == model.n_nodes_ - 1
    assert model.graph_.global_threshold == np.inf and len(model.graph_.node_threshold) == 0
    assert model.nodes_.support.dtype == np.float64 and model.nodes_.rows.sum() == model.n_samples_seen_
    assert model.history_.to_pandas().columns.tolist() == ["sample", "n_nodes", "n_clusters"]


def test_assignment_view_converts_to_tables():
    view = MODEL.assignment_view_
    assert len(view.to_pandas()) == MODEL.n_clusters_
    table = view.features_to_pandas()
    assert table.columns.tolist() == ["center", "denominator"] and len(table) == 3
    np.testing.assert_allclose(view.concentration, np.sum(view.support_share**2))
    assert 0 < view.gamma < 1


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def without_pandas(name, *rest):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(ImportError, match="pip install pandas"):
        MODEL.nodes_.to_pandas()
