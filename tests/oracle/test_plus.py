"""PHIDA+ on hand-made states and streams, where the result is known on paper."""

import math

import numpy as np
import pytest

from oracle.assign import AssignmentView
from oracle.flow import flow, valley
from oracle.groups import groups, heights
from oracle.pairs import Pairs, off_plane
from oracle.parts import parts
from oracle.plus_cases import CASES, COPIES, DELETION, FALLING
from oracle.plus_learner import PlusLearner
from oracle.transform import adaptive_transform


def learner_of(case):
    learner = PlusLearner()
    learner.representatives = np.array(case.rows)
    learner.support = np.array(case.support)
    learner.pairs = Pairs(1, *case.matrices())
    return learner


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_case(case):
    learner = learner_of(case)
    found = flow(learner.support, learner.pairs)
    if case.nodes is None:
        assert found is None
        return
    assert found.nodes.tolist() == case.nodes
    if case.strength is not None:
        assert found.strength == case.strength
    if case.loop is not None:
        assert found.loop == case.loop
    rows = learner.representatives[found.nodes]
    z = adaptive_transform(rows).apply(rows)
    if case.height is not None:
        np.testing.assert_allclose(heights(found, z).node, case.height, rtol=1e-12)
    assert groups(found, z).tolist() == case.groups
    assert parts(found).tolist() == case.parts
    reading = learner.read()
    for probe, group, part in case.probes:
        assert reading.predict(np.array([probe]), "groups").tolist() == [group]
        assert reading.predict(np.array([probe]), "parts").tolist() == [part]


def test_the_papers_map_serves_both_levels_without_counts():
    case = CASES["no counts inside V"]
    learner = learner_of(case)
    rows = learner.representatives
    learner.assignment = AssignmentView(rows, learner.support, np.array([0, 0, 1]), adaptive_transform(rows))
    reading = learner.read()
    # At 1.5, node 2 alone scores 0.5 squared, and nodes 0 and 1 together at least 0.5 + 0.5.
    for level in ("groups", "parts"):
        assert reading.predict(np.array([[1.5], [0.1]]), level).tolist() == [1, 0]
    assert (reading.n_nodes, reading.n_groups, reading.n_parts) == (3, 2, 2)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_no_valley_with_fewer_than_five_samples(n):
    assert not valley(n, float(n), float(n))
    assert valley(5, 5.0, 5.0)


def test_off_plane():
    winner, runner_up = np.array([0.0, 0.0]), np.array([4.0, 0.0])
    found = [off_plane(np.array(z), winner, runner_up) for z in ([2.0, 7.0], [0.0, 7.0], [1.0, 0.0], [-2.0, 0.0])]
    assert found == [0.0, 1.0, 0.5, 2.0]
    assert off_plane(np.array([5.0, 5.0]), winner, winner) == 0.0


def test_counts_stay_with_their_winner_when_runner_ups_go():
    before, gone, after = DELETION
    pairs = Pairs(1, np.array(before), np.ones((4, 4)), np.ones((4, 4)))
    pairs.delete(np.array(gone))
    assert pairs.count.tolist() == after


def test_counts_of_a_node_that_merges_go_to_the_other():
    count = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    pairs = Pairs(1, count, np.ones((3, 3)), np.ones((3, 3)))
    pairs.move(2, 0)
    assert pairs.count.tolist() == [[1 + 3 + 7 + 9, 2 + 8, 0], [4 + 6, 5, 0], [0, 0, 0]]
    assert pairs.s1.tolist() == [[0, 2, 0], [2, 1, 0], [0, 0, 0]]


def test_faded_counts_are_whole_units():
    pairs = Pairs(4, np.array([[0, 5], [1, 0]]), np.array([[0.0, 1.0], [0.5, 0.0]]), np.zeros((2, 2)))
    pairs.fade(0.5)
    assert pairs.count.tolist() == [[0, 2], [0, 0]]
    assert pairs.samples.tolist() == [[0, 0.5], [0, 0]]
    assert pairs.s1.tolist() == [[0, 0.5], [0, 0]]


def test_theta_stays_absent_while_no_sample_is_off_its_winner():
    learner = PlusLearner()
    learner.learn_many(np.array(COPIES))
    learner.end_learning()
    assert (learner.log_theta, learner.n_far, learner.n_created) == (None, 3, 3)
    assert learner.tau == learner.vigilance
    # All three nodes coincide; the first wins and the second is its runner-up, with u = 0.
    assert learner.pairs.count[0, 1] == learner.pairs.count.sum() == len(COPIES) - 3
    assert learner.pairs.s1.sum() == learner.pairs.s2.sum() == 0
    reading = learner.read()
    assert (reading.n_groups, reading.n_parts) == (1, 1)


def test_theta_does_not_fall_below_its_floor():
    learner = PlusLearner()
    learner.learn_many(np.array(FALLING))
    assert learner.log_theta == math.log(1e-6)
    assert learner.n_far == 3
    np.testing.assert_allclose(learner.tau, 1 / (1 + 1e-6), rtol=1e-15)
    assert learner.tau < 1


@pytest.mark.parametrize("limits", [{}, {"max_nodes": 12}], ids=["none", "max_nodes"])
def test_every_sample_creates_a_node_or_is_counted(limits):
    """A node that goes may take its own samples along only where it merges into no other."""
    rng = np.random.default_rng(5)
    rows = 6 * rng.integers(0, 4, size=(400, 1)) + rng.normal(size=(400, 3))
    learner = PlusLearner(**limits)
    learner.learn_many(rows)
    learner.end_learning()
    assert learner.n_created > learner.n_nodes, "no node went: change the stream"
    assert learner.n_created + learner.pairs.count.sum() == len(rows)
