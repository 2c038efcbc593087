"""Inside river's pipelines and its evaluation."""

import numpy as np
import pytest
from named_rows import FRAMES, NAMES, X, dicts, learned
from river import compose, evaluate, metrics, preprocessing
from states import assert_same_state

import phida
from phida.river import PHIDA

ROWS = dicts(X)


def test_a_scaler_before_it_row_by_row():
    """The bits of the estimator, fed with the rows as the scaler gave them."""
    model = preprocessing.StandardScaler() | PHIDA()
    scaler, estimator = preprocessing.StandardScaler(), phida.PHIDA(compute_labels=False)
    assert model.predict_one(ROWS[0]) == -1
    for x in ROWS:
        model.learn_one(x)
        scaler.learn_one(x)
        scaled = scaler.transform_one(x)
        row = np.array([[scaled[name] for name in NAMES]])
        estimator.partial_fit(row)
        assert model.predict_one(x) == estimator.predict(row)[0]
    assert_same_state(model["PHIDA"], estimator)


@pytest.mark.parametrize("kind", FRAMES)
def test_a_scaler_before_it_in_frames(kind):
    model = preprocessing.StandardScaler() | PHIDA()
    scaler, estimator = preprocessing.StandardScaler(), phida.PHIDA(compute_labels=False)
    for chunk in np.split(X, [100, 130]):
        frame = FRAMES[kind](chunk)
        model.learn_many(frame)
        scaler.learn_many(frame)
        estimator.partial_fit(np.asarray(scaler.transform_many(frame)))
    assert_same_state(model["PHIDA"], estimator)
    labels = model.predict_many(frame)
    assert np.asarray(labels).tolist() == estimator.predict(np.asarray(scaler.transform_many(frame))).tolist()


def test_a_selection_before_it_keeps_other_features_out():
    """River's selection goes over a set, so the order of the features differs from process to process."""
    model = compose.Select(*NAMES) | PHIDA()
    for x in ROWS:
        model.learn_one(x | {"name": "text"})
    order = [NAMES.index(name) for name in model["PHIDA"].centers[0]]
    assert_same_state(model["PHIDA"], phida.PHIDA().partial_fit(X[:, order]))


def test_a_function_before_it_fixes_the_order():
    model = compose.FuncTransformer(lambda x: {name: x[name] for name in NAMES}) | PHIDA()
    for x in ROWS:
        model.learn_one({"name": "text"} | dict(reversed(x.items())))
    assert_same_state(model["PHIDA"], learned(PHIDA(), X))


def test_a_pipeline_can_be_cloned():
    model = preprocessing.StandardScaler() | PHIDA(compatibility="released")
    model.learn_one(ROWS[0])
    clone = model.clone()
    assert clone["PHIDA"].compatibility == "released"
    assert clone.predict_one(ROWS[0]) == -1


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("metric", [metrics.AdjustedRand, metrics.Silhouette], ids=lambda metric: metric.__name__)
def test_progressive_evaluation_learns_the_whole_stream(metric, scaled):
    model = preprocessing.StandardScaler() | PHIDA() if scaled else PHIDA()
    dataset = [(x, int(x["height"] > 0)) for x in ROWS]
    found = evaluate.progressive_val_score(dataset, model, metric())
    assert np.isfinite(found.get())
    last = model["PHIDA"] if scaled else model
    assert last._model.learner.n_seen == len(ROWS)
    if not scaled:
        assert_same_state(model, learned(PHIDA(), X))
