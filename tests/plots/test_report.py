"""The report's sentences about clusters."""

import numpy as np
from sklearn.datasets import load_digits

from phida import PHIDA, PHIDAPlus
from phida._report import DataSummary, contents
from phida.answers import ClusterList
from phida.answers.clusters import MOST_LISTED


def page_of(model, rows):
    summary = DataSummary()
    summary.add(model.predict(rows), model.score_samples(rows))
    return contents(model, summary, "a page")


def test_closest_clusters_are_those_of_the_first_refused_merge():
    model = PHIDAPlus().fit(load_digits().data)
    found = model.hierarchy_
    refused = found.cluster[[found.merge_into[found.level], found.merge_from[found.level]]]
    page = page_of(model, load_digits().data)
    assert page.closest == tuple(sorted(refused.tolist()))
    assert page.explanation[0].startswith(f"Cluster {page.closest[0]} differs from cluster {page.closest[1]} mainly in")


def test_without_refused_merges_the_nearest_centres_are_closest():
    rows = np.vstack([np.repeat([[center, center]], 120, axis=0) for center in (0.0, 100.0, 150.0)])
    model = PHIDAPlus().fit(rows)
    assert model.n_clusters_ == 3 and model.hierarchy_.level == len(model.hierarchy_.merge_height)
    assert page_of(model, rows).closest == (1, 2)


def test_single_cluster_has_no_closest_pair():
    rows = np.random.default_rng(0).normal(size=(500, 2))
    page = page_of(PHIDAPlus().fit(rows), rows)
    assert page.closest is None and page.explanation == () and "one cluster" in page.advice[0]


def test_report_lists_the_clusters_of_the_profile():
    rows = load_digits().data
    for model in (PHIDA().fit(rows), PHIDAPlus().fit(rows)):
        page, clusters = page_of(model, rows), ClusterList.of(model)
        assert tuple(row.found for row in page.clusters) == clusters.listed
        assert page.more == clusters.more and bool(page.more) == (model.n_clusters_ > MOST_LISTED)
        counts = np.bincount(model.predict(rows), minlength=model.n_clusters_)
        assert [row.rows for row in page.clusters] == counts[[row.found.cluster for row in page.clusters]].tolist()


def test_rows_are_counted_batch_by_batch():
    summary = DataSummary()
    summary.add(np.array([7, 7, 2]), np.array([0.5, 0.001, 0.2]), ["x", "y", "x"])
    summary.add(np.array([7, 2]), np.array([0.009, 0.01]), ["y", "x"])
    assert summary.rows == 5 and summary.count == {7: 3, 2: 2} and summary.unusual == 2
    assert summary.main_class(7) == ("y", 2 / 3)
    assert summary.main_class(1) is None and summary.main_class(2) == ("x", 1.0)
