"""Models and records in a notebook and at a prompt."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn
from data import blobs

from phida import PHIDA, PHIDAPlus, _html
from phida.answers import Profile
from phida.answers.html import summary_html
from phida.lineage import Event, Lineage

RECORDS = ("nodes_", "graph_", "persistence_", "hierarchy_", "assignment_view_", "moments_", "history_", "lineage_")
NAMES = ("a<script>alert(1)</script>", 'b" onload="x', "c & d")


@pytest.fixture(scope="module", params=[PHIDA, PHIDAPlus])
def model(request):
    return request.param().fit(pd.DataFrame(blobs(600, d=3), columns=NAMES))


@pytest.mark.parametrize("name", RECORDS)
def test_repr_of_a_record_is_short(model, name):
    text = repr(getattr(model, name))
    assert len(text) <= 300 and "\n" not in text
    assert text.startswith(type(getattr(model, name)).__name__ + "(") and text.endswith(")")


def test_repr_of_a_record_has_count_and_first_values(model):
    nodes = model.nodes_
    assert repr(nodes).startswith(f"Nodes({len(nodes):,} nodes, id=[0, 1, 2, …], ")
    assert f"representatives=<{len(nodes)} × 3>" in repr(nodes)
    assert repr(model.graph_).startswith(f"Graph({len(model.graph_.source):,} edges, source=[")
    assert repr(Profile.of(model)).startswith(f"Profile({len(model.cluster_ids_)} clusters, ")


@pytest.mark.parametrize("name", RECORDS)
def test_table_of_a_record_has_first_rows_and_count_of_the_others(model, name):
    page = getattr(model, name)._repr_html_()
    assert len(page) < 12_000 and "<script" not in page
    shown = page.count("<tr>") - 1
    size = len(getattr(model, name).to_pandas())
    assert shown == min(size, 10 if name == "lineage_" else 5)
    if size > shown:
        assert f"and {size - shown:,} {'older' if name == 'lineage_' else 'more'}" in page


def test_lineage_shows_its_latest_events():
    events = [Event(i, "born", 10 * i, 10 * i, (), (i,), support=2.5) for i in range(4, 30)]
    page = Lineage(events, n_dropped=4)._repr_html_()
    assert "cluster 29 was born" in page and "cluster 19 was born" not in page and "and 20 older" in page


def test_repr_of_a_fitted_model_is_scikit_learns(model):
    assert repr(model) == f"{type(model).__name__}()"


def test_page_of_a_fitted_model_lists_its_clusters(model):
    page = model._repr_html_()
    assert page.endswith(summary_html(model)) and model._repr_mimebundle_()["text/html"].endswith(summary_html(model))
    assert f"{model.n_clusters_} clusters of 600 rows learned, {model.n_nodes_} nodes" in page
    cells = [re.findall(r"<td[^>]*>([^<]*)</td>", line) for line in page.rsplit("<table", 1)[1].split("<tr>")[2:]]
    labels, ids, rows = np.array([[int(cell) for cell in line[:3]] for line in cells]).T
    assert len(cells) == min(model.n_clusters_, 10)
    assert ids.tolist() == model.cluster_ids_[labels].tolist()
    if model.n_clusters_ <= 10:
        assert rows.sum() == 600 and sorted(labels) == list(range(model.n_clusters_))


def test_feature_names_are_escaped(model):
    page = model._repr_html_().rsplit("<table", 1)[1]
    assert "<script" not in page and "&lt;script&gt;" in page and 'b" onload' not in page


def test_clusters_beyond_the_list_are_counted():
    model = PHIDAPlus(compute_labels=False).fit(blobs(3000, d=4, centers=30, spread=20.0))
    assert model.n_clusters_ > 20
    page = model._repr_html_()
    assert f"and {model.n_clusters_ - 20} more (" in page


def test_display_text_has_no_page(model):
    with sklearn.config_context(display="text"):
        assert not hasattr(model, "_repr_html_") and list(model._repr_mimebundle_()) == ["text/plain"]


def test_unfitted_model_shows_only_parameters():
    page = PHIDAPlus()._repr_html_()
    assert "PHIDAPlus" in page and "rows learned" not in page


def test_html_table_imports_nothing_and_aligns_numbers():
    page = _html.table(["n", "name"], [["1,024", "x"], ["7", "<b>"]], caption="a & b", more="and 3 more")
    assert "<p>a &amp; b</p>" in page and "<p>and 3 more</p>" in page and "&lt;b&gt;" in page
    assert page.count("text-align: right") == 3 and not re.search(r"src=|href=|url\(", page)
    assert "<th" in _html.table(["empty"], [])
