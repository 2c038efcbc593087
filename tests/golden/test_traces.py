"""Iris and Pima sample by sample, on the native learner's own state. Pima has gamma > 0."""

import json

import numpy as np
import pytest
from golden.files import HAS_SHARED, SHARED, WITHOUT_SHARED, load, stages
from states import view_as_it_is

from phida import _core

pytestmark = pytest.mark.skipif(not HAS_SHARED, reason=WITHOUT_SHARED)


def close(one, other, what):
    np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9, err_msg=what)


def assert_step(learner, expected):
    step = learner.last_step()
    matched = "winner" in expected
    assert ("winner" in step) == matched
    same = ["event", "winner", "runner_up"] if matched else ["event"]
    assert {name: step[name] for name in same} == {name: expected[name] for name in same}
    if matched:
        assert step["runner_up_updated"] == expected.get("runner_up_updated", False)
        close(step["similarity"], expected["similarity"], "similarity")
        close(step["gamma"], expected["gamma"], "gamma")
    assert (learner.n_nodes, learner.interval) == (expected["n_nodes"], expected["interval"])
    close([learner.vigilance, learner.ratio], [expected["vigilance"], expected["ratio"]], "vigilance and ratio")
    assert step["refreshed"] == ("refresh" in expected)


def assert_refresh(learner, expected):
    view = view_as_it_is(learner)
    nodes, state = view.nodes(), learner.__getstate__()
    # Learning and the records use the same map.
    assert state["component"].tolist() == expected["component"]
    assert nodes["component"].tolist() == expected["component"]
    assert nodes["cluster"].tolist() == expected["cluster"]
    assert state["support"].tolist() == expected["support"]
    assert state["n_components"] == len(expected["persistence"])
    assert state["n_clusters"] == max(expected["cluster"]) + 1

    hierarchy = view.hierarchy()
    close(view.persistence()["threshold"], expected["ph_threshold"], "ph_threshold")
    close(hierarchy["persistence"], [expected["persistence"][str(a)] for a in range(view.n_components)], "persistence")
    if view.n_components == 1:
        assert expected["levels"] == []
        return
    assert hierarchy["minimum_count"] == expected["c_min"]
    groups = view.n_components - np.arange(len(hierarchy["merge_height"]) + 1)
    levels = np.column_stack([groups, np.append(0.0, hierarchy["merge_height"])])
    # If K_PH = C_min, the traces list one more level, which is not eligible.
    listed = expected["levels"][:1] if view.n_components == expected["c_min"] else expected["levels"]
    close(levels, listed, "levels")


@pytest.mark.parametrize("mode", ["equations", "released"])
@pytest.mark.parametrize("dataset", ["iris", "pima"])
def test_every_sample_equals_the_trace(dataset, mode):
    X, y = load(dataset)
    rows = stages(X, y, "stationary", 0)[0]
    lines = (SHARED / "golden" / f"{dataset}.stationary.{mode}.seed0.trace.jsonl").read_text().splitlines()
    learner = _core.Learner(X.shape[1], released=mode == "released")
    for row, line in zip(rows, lines, strict=False):
        expected = json.loads(line)
        learner.learn(row[None])
        assert_step(learner, expected)
        if "refresh" in expected:
            assert_refresh(learner, expected["refresh"])
    assert learner.n_seen == len(lines) > 100
