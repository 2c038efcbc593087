"""Values of any scale that can be learned can also be saved, copied, loaded and predicted."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from states import assert_same_state
from typer.testing import CliRunner

from phida import PHIDA, PHIDAPlus
from phida._cli.app import app

SMALLEST, LARGEST = 5e-324, 1e140

#: One feature: a power of ten, or the smallest number; and whether its groups are separated, equal or spread widely.
features = st.tuples(st.one_of(st.integers(-323, 139), st.just(-324)), st.sampled_from(["groups", "equal", "wide"]))


def column(rng, n, power, kind):
    unit = max(10.0 ** max(power, -323), SMALLEST) if power > -324 else SMALLEST
    values = {
        "groups": rng.integers(0, 3, n) * 4 + rng.random(n),
        "equal": np.ones(n),
        "wide": 10.0 ** rng.uniform(-40, 40, n),
    }
    with np.errstate(all="ignore"):
        return np.clip(values[kind] * unit, -LARGEST, LARGEST)


models = st.sampled_from([PHIDA(), PHIDAPlus(), PHIDAPlus(max_nodes=8), PHIDAPlus(scale="standard", max_nodes=16),
                          PHIDAPlus(max_nodes=12, half_life=20.0), PHIDAPlus(scale=None)])  # fmt: skip


@given(
    model=models,
    kinds=st.lists(features, min_size=1, max_size=6),
    n=st.integers(1, 150),
    wild=st.lists(st.tuples(st.integers(0, 149), st.sampled_from([1e3, 1e9, -1e140, 1e140])), max_size=3),
    seed=st.integers(0, 99),
)
@example(
    model=PHIDA(),
    kinds=[(0, "groups"), *((power, "groups") for power in range(-300, -199, 25))],
    n=100,
    wild=[],
    seed=0,
)
@example(model=PHIDA(), kinds=[(-324, "groups")] * 3 + [(0, "groups")] * 3, n=60, wild=[], seed=0)
@example(model=PHIDAPlus(scale="standard"), kinds=[(-140, "groups")], n=150, wild=[(7, 1e140)], seed=1)
def test_learned_values_of_any_scale_are_saved_loaded_and_predicted(model, kinds, n, wild, seed):
    rng = np.random.default_rng(seed)
    rows = np.column_stack([column(rng, n, *kind) for kind in kinds])
    for at, value in wild:
        rows[at % n, at % len(kinds)] = value
    model = type(model)(**model.get_params())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from NumPy, about squares that overflow in answers
        model.partial_fit(rows[: n // 2 + 1])
        assert_same_state(type(model).from_bytes(model.to_bytes()), model)
        model.fit(rows)
        for again in (
            type(model).from_bytes(model.to_bytes()),
            pickle.loads(pickle.dumps(model)),
            copy.deepcopy(model),
        ):
            assert_same_state(again, model)
            assert again.predict(rows).tolist() == model.labels_.tolist()
            again.partial_fit(rows)
            type(model).from_bytes(again.to_bytes())
        assert not np.isnan(model.transform(rows)).any()
        assert np.isfinite(model.score_samples(rows)).all()
        assert_same_state(model.partial_fit(rows), again)


@pytest.mark.parametrize("parameters", [{"max_nodes": 32}, {"max_nodes": 12, "half_life": 20.0}], ids=str)
def test_loaded_model_learns_like_the_original_where_distances_round(parameters):
    """Steps of 0.125 are the smallest at 1e15, so means of rows round by as much as their distances."""
    for seed in range(30):
        rows = 1e15 + 0.125 * np.random.default_rng(seed).integers(0, 9, (150, 2))
        model = PHIDAPlus(**parameters).fit(rows)
        loaded = PHIDAPlus.from_bytes(model.to_bytes())
        assert_same_state(model.partial_fit(rows), loaded.partial_fit(rows))


@pytest.mark.parametrize("method", ["phida", "phida+"])
def test_checkpoint_of_very_small_values_resumes(tmp_path, method):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random(200), *(10.0**power * rng.random(200) for power in range(-300, -199, 25))])
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", fmt="%.17g", header="a,b,c,d,e,f", comments="")
    words = ["stream", str(tmp_path / "rows.csv"), "--method", method]
    words += ["--checkpoint", str(tmp_path / "c"), "--output", str(tmp_path / "out.csv")]
    for more in ([], ["--resume"]):
        found = CliRunner().invoke(app, [*words, *more])
        assert found.exit_code == 0, found.output
