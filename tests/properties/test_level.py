"""The level of PHIDA+ may change on a fitted model; nothing else than its two levels is read."""

import numpy as np
import pytest
from data import blobs

from phida import PHIDAPlus
from phida.river import PHIDAPlus as RiverPHIDAPlus

X = blobs(600)


@pytest.mark.parametrize("level", ["published", "x", 1, None])
def test_a_level_that_is_none_is_refused_wherever_it_is_read(level):
    model = PHIDAPlus().fit(X).set_params(level=level)
    for read in (lambda: model.predict(X), lambda: model.n_clusters_, lambda: model.hierarchy_, model.refresh):
        with pytest.raises(ValueError, match="level must be 'groups' or 'parts', not "):
            read()
    if level is not None:
        with pytest.raises(ValueError, match="level must be"):
            model.set_params(level="groups").predict(X, level=level)


def test_river_refuses_it_too():
    model = RiverPHIDAPlus()
    model.learn_one({"a": 1.0, "b": 2.0})
    model.level = "published"
    with pytest.raises(ValueError, match="level must be"):
        model.predict_one({"a": 1.0, "b": 2.0})


def test_river_counts_both_levels():
    model, estimator = RiverPHIDAPlus(level="parts"), PHIDAPlus().partial_fit(X)
    assert (model.n_groups, model.n_parts) == (0, 0)
    for row in X:
        model.learn_one(dict(enumerate(row)))
    assert (model.n_groups, model.n_parts, model.n_clusters) == (
        estimator.n_groups_,
        estimator.n_parts_,
        estimator.n_parts_,
    )


@pytest.mark.parametrize("half_life", ["a", -1, 0, np.nan, np.inf, 1e301])
def test_a_half_life_that_makes_no_sense_is_refused_by_both(half_life):
    with pytest.raises(ValueError, match="half_life"):
        RiverPHIDAPlus(half_life=half_life)
    with pytest.raises(ValueError, match="half_life"):
        PHIDAPlus(half_life=half_life).fit(X)


def test_explanations_and_clarity_of_a_cut_by_hand_say_so():
    model = PHIDAPlus().fit(X)
    fewest = model.hierarchy_.merge_height.size
    n_leaves = len(model.hierarchy_.mode)
    other = model.n_groups_ + 1 if model.n_groups_ < n_leaves else model.n_groups_ - 1
    assert n_leaves - fewest <= other <= n_leaves
    cut = model.cut(n_clusters=other)
    assert "chosen by hand" in str(cut.cut_clarity_) and "chosen by hand" not in str(model.cut_clarity_)
    apart = [
        (a, b) for a in range(other) for b in range(a) if cut.explain(a, b, kind="cluster").merge_height is not None
    ]
    said = [cut.explain(a, b, kind="cluster") for a, b in apart]
    wrong = [e for e in said if e.made != (e.merge_height < e.threshold)]
    assert wrong and all("chosen by hand" in str(e) for e in wrong)
