"""River's own checks, including those with data, which river skips for clusterers."""

import random

import pytest
from named_rows import KINDS
from river import base, checks, datasets, preprocessing
from river.checks import common
from states import assert_same_state, state_of

from phida.river import PHIDA, PHIDAPlus

STREAM = list(datasets.ImageSegments().take(200))
WITH_DATA = [
    common.check_learn_one,
    common.check_pickling,
    common.check_shuffle_features_no_impact,
    common.check_predict_one_pure,
    common.check_predict_one_before_any_learn,
    common.check_no_state_aliasing_with_input,
    common.check_clone_is_independent,
]
FEATURES_COME_AND_GO = [
    common.check_emerging_features,
    common.check_disappearing_features,
    common.check_radically_disappearing_features,
]


@pytest.fixture(autouse=True)
def seeded():
    """Seed the global generator, with which the checks shuffle."""
    state = random.getstate()
    random.seed(0)
    yield
    random.setstate(state)


@pytest.fixture(params=KINDS)
def model(request):
    return KINDS[request.param].clusterer()


def test_model_passes_rivers_checks(model):
    assert isinstance(model, base.Clusterer)
    assert len(list(checks.yield_checks(model))) >= 14
    checks.check_estimator(model)


@pytest.mark.parametrize("check", WITH_DATA, ids=lambda check: check.__name__)
def test_model_passes_rivers_checks_with_data(model, check):
    check(model, STREAM)


def test_model_passes_rivers_check_of_memory(model):
    common.check_bounded_memory_growth(model, list(datasets.ImageSegments().take(2000)))


@pytest.mark.parametrize("check", FEATURES_COME_AND_GO, ids=lambda check: check.__name__)
def test_appearing_and_missing_features_are_refused(model, check):
    """River skips these checks if a model declares it; here the models raise with a message."""
    assert check.__name__ in model._unit_test_skips()
    with pytest.raises(ValueError, match=r"feature '.*' is (missing|new); every row must have the features"):
        check(model, STREAM)


def test_rivers_checks_with_data_are_all_listed():
    """A later river may add checks."""
    model = preprocessing.StandardScaler()
    with_data = {check.__name__ for check in checks.yield_checks(model) if hasattr(check, "keywords")}
    ours = {check.__name__ for check in [*WITH_DATA, *FEATURES_COME_AND_GO, common.check_bounded_memory_growth]}
    about_transformers = {name for name in with_data if "transform" in name or "many" in name}
    assert with_data - about_transformers <= ours


def test_clones_keep_parameters_and_no_state():
    model = PHIDAPlus(max_nodes=9, half_life=20.0, scale=None)
    model.learn_one(STREAM[0][0])
    clone = model.clone()
    assert (clone.max_nodes, clone.half_life, clone.scale) == (9, 20.0, None)
    assert clone.predict_one(STREAM[0][0]) == -1
    clone.learn_one({"another feature": 1})
    assert model.clone({"scale": "standard"}).scale == "standard"
    assert_same_state(model.clone(include_attributes=True), model)


def test_repr_has_the_parameters():
    shown = ["PHIDAPlus", "(", "max_nodes=2048", "half_life=None", 'scale="auto"', "keep_examples=3", ")"]
    assert repr(PHIDAPlus()).split() == shown
    assert repr(PHIDA()).split() == ["PHIDA", "()"]


def test_parameters_are_validated_and_then_fixed():
    with pytest.raises(ValueError, match="scale must be 'auto', 'standard' or None, not 'other'"):
        PHIDAPlus(scale="other")
    with pytest.raises(ValueError, match="not a mutable attribute"):
        PHIDAPlus().mutate({"max_nodes": 30})


def test_memory_includes_the_native_state(model):
    empty = model._raw_memory_usage
    for x, _ in STREAM:
        model.learn_one(x)
    arrays = sum(getattr(value, "nbytes", 0) for value in state_of(model).values())
    assert arrays > 10_000
    assert model._raw_memory_usage > empty + arrays
    assert model._memory_usage.endswith("KiB")
