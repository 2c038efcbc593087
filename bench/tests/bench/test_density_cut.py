"""HDBSCAN's hierarchy and its cut."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from sklearn.cluster import HDBSCAN

from phida_bench.methods.density_cut import best_height, core_distances, density_cut, hierarchy, spanning_tree


def blobs(centers, size=12):
    rng = np.random.default_rng(1)
    return np.concatenate([rng.normal(c, 0.3, size=(size, 2)) for c in centers])


def test_hierarchy_equals_hdbscan():
    points = blobs([0, 4, 9])
    model = HDBSCAN(min_samples=5, algorithm="brute", metric="precomputed", copy=True)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    model.fit(distances)
    ours = hierarchy(*spanning_tree(points, core_distances(points)))
    assert np.allclose(ours[:, 2], np.sort(model._single_linkage_tree_["value"]))


def test_hierarchy_of_a_spanning_tree_is_single_linkage():
    points = blobs([0, 4, 9])
    ours = hierarchy(*spanning_tree(points, np.zeros(len(points))))
    theirs = linkage(points, "single")
    assert np.allclose(ours[:, 2:], theirs[:, 2:])
    assert is_valid_linkage(ours)
    assert np.array_equal(fcluster(ours, 1.0, "distance"), fcluster(theirs, 1.0, "distance"))


@pytest.mark.parametrize("target", [1, 2, 3])
def test_separate_groups_are_found(target):
    labels = density_cut(blobs([0, 6, 14][:target]), target)
    assert len(set(labels)) == target
    assert all(len(set(part)) == 1 for part in np.split(labels, target))


def test_noise_gets_the_label_of_its_nearest_neighbour():
    labels = density_cut(np.vstack([blobs([0, 10]), [[5.6, 5.6]]]), 2)
    assert labels.min() == 0 and labels[-1] == labels[-2]


def test_unreachable_target_gives_the_nearest_count():
    assert len(set(density_cut(blobs([0, 8]), 20))) <= 24 // 5


def test_fewer_points_than_the_minimum_are_one_cluster():
    assert density_cut(np.array([[0.0], [1.0], [5.0]]), 2).tolist() == [0, 0, 0]


def test_equally_good_cuts_give_the_one_with_least_noise():
    #: Pairs merge at 1 and 2; both counts are 2 from height 2 up to 9.
    tree = np.array([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 3, 3], [6, 7, 9, 5]], float)
    assert best_height(tree, 2, 2) == 3
