"""Rows as dicts: the same bits as the estimator, and refusals."""

import collections
import decimal
import signal
import sys
import threading
import types

import numpy as np
import pytest
from named_rows import FRAMES, NAMES, X, dicts, each_kind, learned
from states import assert_same_state

import phida
import phida.river


@each_kind
def test_dict_rows_give_the_bits_of_the_estimator(kind):
    model, estimator = kind.clusterer(), kind.estimator(compute_labels=False)
    for x, row in zip(dicts(X), X, strict=True):
        model.learn_one(x)
        estimator.partial_fit(row[None])
    assert_same_state(model, estimator)
    assert [model.predict_one(x) for x in dicts(X)] == estimator.predict(X).tolist()
    assert model.n_clusters == estimator.n_clusters_
    assert model.centers == dict(enumerate(dicts(estimator.cluster_centers_)))


@each_kind
@pytest.mark.parametrize("width", [1, 2, 64])
def test_rows_of_any_number_of_features_are_learned(width, kind):
    rows = np.random.default_rng(0).normal(size=(80, width))
    names = range(width)
    model = learned(kind.clusterer(), rows, names)
    assert_same_state(model, kind.estimator().partial_fit(rows))
    assert list(model.centers[0]) == list(names)


@each_kind
def test_predictions_before_the_first_row_are_minus_1(kind):
    model = kind.clusterer()
    assert model.predict_one({"a": 1.0}) == -1
    assert model.predict_one({}) == -1
    assert (model.n_clusters, model.centers) == (0, {})
    model.learn_one({"b": 1.0})  # predicting did not fix the features
    assert (model.predict_one({"b": 7}), model.n_clusters, model.centers) == (0, 1, {0: {"b": 1.0}})


@each_kind
def test_labels_and_centers_are_plain_python_values(kind):
    model = learned(kind.clusterer(), X)
    assert type(model.predict_one(dicts(X)[0])) is int
    assert type(model.n_clusters) is int
    assert all(type(value) is float for center in model.centers.values() for value in center.values())
    assert model.learn_one(dicts(X)[0]) is None


NUMBERS = [3, True, np.float32(1.5), np.int8(3), np.bool_(1), decimal.Decimal("1.5"), np.array(2.0), -0.0, 1e140]


@each_kind
@pytest.mark.parametrize("number", NUMBERS, ids=repr)
def test_numbers_of_any_type_are_accepted(number, kind):
    model = learned(kind.clusterer(), X[:10])
    model.learn_one({"height": 1.0, "width": number, "depth": 2.0})
    assert_same_state(model, kind.estimator().partial_fit(X[:10]).partial_fit([[1.0, float(number), 2.0]]))


REFUSALS = {
    "missing": ({"height": 1.0, "depth": 2.0}, "feature 'width' is missing; every row .* Fill it in, or begin"),
    "new": (dict.fromkeys([*NAMES, "age"], 1.0), "feature 'age' is new; every row .* Leave it out, or begin"),
    "another": ({"height": 1.0, "age": 1.0, "depth": 2.0}, "feature 'width' is missing"),
    "empty": ({}, "the row has no features"),
    "nan": (float("nan"), "feature 'width' is nan. Fill it, or leave the row out"),
    "inf": (float("inf"), "feature 'width' is inf. Fill it"),
    "minus inf": (np.float32("-inf"), "feature 'width' is -inf. Fill it"),
    "huge": (-2e140, r"feature 'width' is -2e\+140, and magnitudes beyond 1e\+140 overflow .* Rescale it"),
    "huge integer": (10**400, "feature 'width' is an integer that no float64 can hold. Rescale it"),
    "none": (None, "feature 'width' is None. Fill it, or leave the row out"),
    "text": ("red", "feature 'width' is 'red', not a number. Encode it as numbers, or leave the feature out"),
    "a number as text": ("1.5", "feature 'width' is '1.5', not a number"),
    "bytes": (b"1.5", "feature 'width' is b'1.5', not a number"),
    "text of numpy": (np.str_("1.5"), "feature 'width' is .*, not a number"),
    "time span": (np.timedelta64(3, "s"), "feature 'width' is .*, not a number"),
    "complex": (1j, "feature 'width' is 1j, not a number"),
    "list": ([1.0], r"feature 'width' is \[1.0\], not a number"),
    "long": ("x" * 10_000, "feature 'width' is .{30}, not a number"),
}


@each_kind
@pytest.mark.parametrize("which", REFUSALS)
def test_refusals_name_the_feature_and_change_nothing(which, kind):
    value, said = REFUSALS[which]
    x = value if isinstance(value, dict) else {"height": 1.0, "width": value, "depth": 2.0}
    model, twin = learned(kind.clusterer(), X[:100]), learned(kind.clusterer(), X[:100])
    for method in (model.learn_one, model.predict_one):
        with pytest.raises(ValueError, match=said):
            method(x)
    assert_same_state(model, twin)
    assert_same_state(learned(model, X[100:]), learned(twin, X[100:]))


@each_kind
@pytest.mark.parametrize("which", [which for which in REFUSALS if which not in ("missing", "new", "another")])
def test_refused_first_row_fixes_no_features(which, kind):
    value, said = REFUSALS[which]
    x = value if isinstance(value, dict) else {"width": value, "other": 1.0}
    model = kind.clusterer()
    with pytest.raises(ValueError, match=said):
        model.learn_one(x)
    assert model.predict_one({"b": 1.0}) == -1
    assert_same_state(learned(model, X), kind.estimator().partial_fit(X))


@each_kind
@pytest.mark.parametrize("as_dict", [collections.Counter, lambda x: collections.defaultdict(float, x)])
def test_default_dicts_are_not_asked_for_missing_keys(as_dict, kind):
    model = learned(kind.clusterer(), X[:10])
    x = as_dict({"height": 1, "age": 2, "depth": 3})
    with pytest.raises(ValueError, match="feature 'width' is missing"):
        model.learn_one(x)
    assert len(x) == 3
    model.learn_one(as_dict(dict.fromkeys(NAMES, 1)))


@each_kind
def test_other_mappings_are_accepted_and_other_types_refused(kind):
    model = learned(kind.clusterer(), X[:10])
    model.learn_one(types.MappingProxyType(dict.fromkeys(NAMES, 1)))
    with pytest.raises(TypeError, match="x is a list; expected a row as a dict"):
        model.learn_one([1.0, 2.0, 3.0])


@each_kind
def test_concurrent_predictions_agree(kind):
    model = learned(kind.clusterer(), X)
    expected = kind.estimator().partial_fit(X).predict(X).tolist()
    found = {}

    def predict(number):
        found[number] = [model.predict_one(x) for x in dicts(X)]

    threads = [threading.Thread(target=predict, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == 4 * [expected]


@each_kind
def test_threads_learning_the_first_row_agree_on_the_features(kind):
    for _ in range(20):
        model, start, refused = kind.clusterer(), threading.Barrier(2), []

        def learn(names, model=model, start=start, refused=refused):
            start.wait()
            try:
                for _ in range(5):
                    model.learn_one(dict.fromkeys(names, 1.0))
            except ValueError:
                refused.append(names)

        threads = [threading.Thread(target=learn, args=(names,)) for names in ("ab", "abc")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(refused) == 1
        assert list(model.centers[0]) == list("abc" if refused == ["ab"] else "ab")
        assert model._model.learner.n_seen == 5


@each_kind
def test_interrupt_before_the_first_row_leaves_a_usable_model(kind):
    """At this moment, features are set and the learner is empty."""
    model = kind.clusterer()
    x = dicts(X)[0]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(frame, event, argument):
        if event == "return" and frame.f_code.co_name == "begin":
            signal.raise_signal(signal.SIGINT)

    try:
        sys.setprofile(interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.learn_one(x)
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGINT, before)
    assert (model.predict_one(x), model.n_clusters, model.centers) == (-1, 0, {})
    assert_same_state(learned(model, X), kind.estimator().partial_fit(X))


@each_kind
def test_novelty_ids_and_lineage_equal_the_estimators(kind):
    model, plain = kind.clusterer(), kind.estimator(compute_labels=False)
    assert model.score_one({"a": 1.0, "b": 2.0}) == 0.5 and model.predict_id_one({"a": 1.0, "b": 2.0}) == -1
    assert len(model.lineage) == 0
    rows = np.random.default_rng(0).normal(size=(300, 2)) + np.repeat([[0, 0], [9, 9], [0, 9]], 100, axis=0)
    for a, b in rows.tolist():
        model.learn_one({"a": a, "b": b})
    plain.partial_fit(rows)
    for a, b in [*rows[:5].tolist(), [100.0, 100.0]]:
        assert model.score_one({"a": a, "b": b}) == 1 - plain.score_samples([[a, b]])[0]
        assert model.predict_id_one({"a": a, "b": b}) == plain.predict_id([[a, b]])[0]
    assert model.score_one({"a": 100.0, "b": 100.0}) > 0.99
    assert list(model.lineage) == list(plain.lineage_)


LIMITS = pytest.mark.parametrize(("name", "value"), [("half_life", 50.0), ("max_nodes", 20), ("scale", None)])


@LIMITS
def test_limit_changed_after_learning_began_is_refused(name, value):
    model, estimator = phida.river.PHIDAPlus(), phida.PHIDAPlus(compute_labels=False)
    learned(model, X[:100])
    estimator.partial_fit(X[:100]).set_params(**{name: value})
    setattr(model, name, value)
    usual = getattr(phida.PHIDAPlus(), name)
    says = f"{name} was changed from {usual!r} to {value} after learning began"
    with pytest.raises(ValueError, match=f"{says}; call fit"):
        estimator.partial_fit(X[100:])
    for learn in (lambda: learned(model, X[100:]), lambda: model.learn_many(FRAMES["pandas"](X[100:]))):
        with pytest.raises(ValueError, match=rf"{says}; set it back, or call clone\(\)"):
            learn()
    with pytest.raises(ValueError, match=says):
        learned(phida.river.PHIDAPlus(), X[:1]).clone({name: value}, include_attributes=True).learn_one(dicts(X)[0])
    assert_same_state(model, phida.PHIDAPlus().partial_fit(X[:100]))
    setattr(model, name, usual)
    assert_same_state(learned(model, X[100:]), phida.PHIDAPlus().partial_fit(X))


@LIMITS
def test_limit_changed_before_learning_or_in_a_clone_takes_effect(name, value):
    model = phida.river.PHIDAPlus()
    setattr(model, name, value)
    expected = phida.PHIDAPlus(**{name: value}).partial_fit(X)
    assert_same_state(learned(model, X), expected)
    assert_same_state(learned(learned(phida.river.PHIDAPlus(), X[:50]).clone({name: value}), X), expected)
    wrong = phida.river.PHIDAPlus()
    setattr(wrong, name, -1)
    with pytest.raises(ValueError, match=f"{name} must be"):
        learned(wrong, X[:1])
