"""What a report tells, on models made by hand."""

import numpy as np

from phida import records
from phida.report import DataSummary
from phida.report.contents import closest_clusters
from plots.doubles import hand_made


def test_the_closest_clusters_are_those_of_the_first_refused_merge():
    made = hand_made(12, 3)
    found = made.hierarchy_
    refused = found.merge_into[found.level], found.merge_from[found.level]
    assert closest_clusters(made) == tuple(found.cluster[list(refused)]) == (0, 1)


def test_where_no_merge_was_refused_the_nearest_centres_are_closest():
    made = hand_made(12, 3, d=2)
    fields = vars(made.hierarchy_)
    made.hierarchy_ = records.Hierarchy(
        **{**fields, "merge_into": np.array([0]), "merge_from": np.array([1]), "merge_height": np.ones(1), "level": 1}
    )
    made.cluster_centers_ = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 20.0]])
    assert closest_clusters(made) == (0, 1)
    view = vars(made.assignment_view_) | {"denominator": np.array([1.0, 10.0])}
    made.assignment_view_ = records.AssignmentView(**view)
    assert closest_clusters(made) == (0, 2)


def test_one_cluster_has_no_neighbour():
    assert closest_clusters(hand_made(5, 1)) is None


def test_rows_are_counted_batch_by_batch():
    summary = DataSummary(3)
    summary.add(np.array([0, 0, 2]), np.array([0.5, 0.001, 0.2]), ["x", "y", "x"])
    summary.add(np.array([0, 2]), np.array([0.009, 0.01]), ["y", "x"])
    assert summary.rows == 5 and summary.count.tolist() == [3, 0, 2] and summary.unusual == 2
    assert summary.main_class(0) == ("y", 2 / 3)
    assert summary.main_class(1) is None and summary.main_class(2) == ("x", 1.0)
