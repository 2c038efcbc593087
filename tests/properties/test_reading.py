"""Reading never changes learning, and a row's label does not depend on other rows of the call."""

import numpy as np
import pytest
from data import blobs, drifting
from hypothesis import given
from hypothesis import strategies as st
from kinds import MAKERS, each_kind
from states import assert_same_state, bits

from phida import PHIDA, PHIDAPlus

ATTRIBUTES = [
    "n_clusters_", "n_nodes_", "n_samples_seen_", "cluster_centers_", "cut_clarity_", "nodes_", "graph_",
    "persistence_", "hierarchy_", "assignment_view_", "moments_",
]  # fmt: skip


def read_everything(model, X):
    model.predict(X)
    model.transform(X)
    for name in ATTRIBUTES:
        getattr(model, name)
    model.get_feature_names_out()


@each_kind
@pytest.mark.parametrize("X", [blobs(250), drifting(250)], ids=["blobs", "drifting"])
def test_reading_between_rows_changes_nothing(X, make):
    read = make()
    for row in X:
        read_everything(read.partial_fit(row[None]), X[:5])
    assert_same_state(read, make(compute_labels=False).partial_fit(X))


@given(st.integers(0, 100), st.lists(st.integers(0, 199), min_size=1, max_size=30), st.sampled_from(sorted(MAKERS)))
def test_label_does_not_depend_on_other_rows(seed, chosen, kind):
    X = drifting(200, seed=seed)
    model = MAKERS[kind]().fit(X)
    assert bits(model.predict(X[chosen])) == bits(model.predict(X)[chosen])
    assert bits(model.transform(X[chosen])) == bits(model.transform(X)[chosen])
    assert model.predict(X[chosen[:1]])[0] == model.labels_[chosen[0]]


@each_kind
def test_labels_of_fit_equal_predict(make):
    X, more = blobs(200), blobs(80, seed=1)
    model = make().fit(X)
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    model.partial_fit(more)
    assert model.labels_.shape == (80,)
    np.testing.assert_array_equal(model.labels_, model.predict(more))


@each_kind
def test_record_stays_as_it_was_read(make):
    model = make().fit(blobs(200))
    nodes = model.nodes_
    before = bits(nodes.representatives), bits(nodes.support)
    model.partial_fit(blobs(200, seed=3))
    assert (bits(nodes.representatives), bits(nodes.support)) == before
    assert bits(model.nodes_.support) != before[1]


@each_kind
def test_ids_are_never_reused(make):
    model, X, born = make(compute_labels=False), drifting(400), {}
    for chunk in np.array_split(X, 80):
        nodes = model.partial_fit(chunk).nodes_
        assert (np.diff(nodes.id) > 0).all()
        for node, birth in zip(nodes.id.tolist(), nodes.birth.tolist(), strict=True):
            assert born.setdefault(node, birth) == birth
    assert len(born) > model.n_nodes_ or make is PHIDAPlus, "no node was removed: change the stream"


@each_kind
def test_counts_equal_records(make):
    model = make().fit(drifting())
    nodes = model.nodes_
    assert model.n_nodes_ == len(nodes) == len(nodes.support)
    if isinstance(model, PHIDA):
        assert model.n_active_nodes_ == nodes.active.sum()
        assert model.n_components_ == nodes.component.max() + 1
    else:
        assert nodes.active.all() and (nodes.component == nodes.cluster).all() and (nodes.cluster >= 0).all()
    assert model.n_clusters_ == len(set(model.hierarchy_.cluster)) == model.cut_clarity_.n_clusters
    shares = model.assignment_view_.support_share
    assert model.n_clusters_ == nodes.cluster.max() + 1 == len(model.cluster_centers_) == len(shares)
    assert model.n_samples_seen_ == 400
    np.testing.assert_allclose(shares.sum(), 1.0)
    for c, center in enumerate(model.cluster_centers_):
        inside = nodes.cluster == c
        expected = np.average(nodes.representatives[inside], axis=0, weights=nodes.support[inside])
        np.testing.assert_allclose(center, expected, rtol=1e-9)
