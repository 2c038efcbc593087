"""What a report tells, on models made by hand."""

import numpy as np

from phida import records
from phida.answers import Profile
from phida.report import DataSummary
from phida.report.contents import closest_clusters
from plots.doubles import hand_made


def closest(model):
    return closest_clusters(model, Profile.of(model))


def test_the_closest_clusters_are_those_of_the_first_refused_merge():
    made = hand_made(12, 3)
    found = made.hierarchy_
    refused = found.cluster[[found.merge_into[found.level], found.merge_from[found.level]]]
    assert closest(made) == tuple(made.cluster_ids_[refused]) == (1, 3)


def without_refused_merges(made):
    fields = vars(made.hierarchy_)
    merges = {"merge_into": np.array([0]), "merge_from": np.array([1]), "merge_height": np.ones(1), "level": 1}
    made.hierarchy_ = records.Hierarchy(**{**fields, **merges})
    return made


def test_where_no_merge_was_refused_the_nearest_centres_are_closest():
    made = without_refused_merges(hand_made(12, 3, d=2))
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 20.0]])
    made.nodes_ = records.Nodes(**vars(made.nodes_) | {"representatives": centers[made.nodes_.cluster]})
    assert closest(made) == (1, 3)
    view = vars(made.assignment_view_) | {"denominator": np.array([1.0, 10.0])}
    made.assignment_view_ = records.AssignmentView(**view)
    assert closest(made) == (1, 5)


def test_labels_of_one_id_are_not_the_closest_clusters():
    made = hand_made(12, 3)
    made.cluster_ids_ = np.array([1, 1, 5])  # the split of id 1 into labels 0 and 1 is not confirmed
    ids = np.where(made.nodes_.cluster == 1, 1, made.nodes_.cluster_id)
    made.nodes_ = records.Nodes(**vars(made.nodes_) | {"cluster_id": ids})
    assert closest(made) == (1, 5)


def test_one_cluster_has_no_neighbour():
    assert closest(hand_made(5, 1)) is None


def test_rows_are_counted_batch_by_batch():
    summary = DataSummary()
    summary.add(np.array([7, 7, 2]), np.array([0.5, 0.001, 0.2]), ["x", "y", "x"])
    summary.add(np.array([7, 2]), np.array([0.009, 0.01]), ["y", "x"])
    assert summary.rows == 5 and summary.count == {7: 3, 2: 2} and summary.unusual == 2
    assert summary.main_class(7) == ("y", 2 / 3)
    assert summary.main_class(1) is None and summary.main_class(2) == ("x", 1.0)
