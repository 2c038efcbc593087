"""Models inside river's pipelines and its evaluation."""

import numpy as np
import pytest
from named_rows import FRAMES, NAMES, X, dicts, each_kind, learned
from river import compose, evaluate, metrics, preprocessing
from states import assert_same_state

ROWS = dicts(X)


@each_kind
def test_pipeline_with_a_scaler_equals_the_estimator_row_by_row(kind):
    """The estimator learns the rows as the scaler returns them."""
    model = preprocessing.StandardScaler() | kind.clusterer()
    scaler, estimator = preprocessing.StandardScaler(), kind.estimator(compute_labels=False)
    assert model.predict_one(ROWS[0]) == -1
    for x in ROWS:
        model.learn_one(x)
        scaler.learn_one(x)
        scaled = scaler.transform_one(x)
        row = np.array([[scaled[name] for name in NAMES]])
        estimator.partial_fit(row)
        assert model.predict_one(x) == estimator.predict(row)[0]
    assert_same_state(model[kind.clusterer.__name__], estimator)


@each_kind
@pytest.mark.parametrize("library", FRAMES)
def test_pipeline_with_a_scaler_equals_the_estimator_on_frames(library, kind):
    model = preprocessing.StandardScaler() | kind.clusterer()
    scaler, estimator = preprocessing.StandardScaler(), kind.estimator(compute_labels=False)
    for chunk in np.split(X, [100, 130]):
        frame = FRAMES[library](chunk)
        model.learn_many(frame)
        scaler.learn_many(frame)
        estimator.partial_fit(np.asarray(scaler.transform_many(frame)))
    assert_same_state(model[kind.clusterer.__name__], estimator)
    labels = model.predict_many(frame)
    assert np.asarray(labels).tolist() == estimator.predict(np.asarray(scaler.transform_many(frame))).tolist()


@each_kind
def test_selection_excludes_other_features(kind):
    """River's selection iterates over a set, so the order of features varies between processes."""
    model = compose.Select(*NAMES) | kind.clusterer()
    for x in ROWS:
        model.learn_one(x | {"name": "text"})
    order = [NAMES.index(name) for name in model[kind.clusterer.__name__].centers[0]]
    assert_same_state(model[kind.clusterer.__name__], kind.estimator().partial_fit(X[:, order]))


@each_kind
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("metric", [metrics.AdjustedRand, metrics.Silhouette], ids=lambda metric: metric.__name__)
def test_progressive_evaluation_learns_the_whole_stream(metric, scaled, kind):
    model = preprocessing.StandardScaler() | kind.clusterer() if scaled else kind.clusterer()
    dataset = [(x, int(x["height"] > 0)) for x in ROWS]
    found = evaluate.progressive_val_score(dataset, model, metric())
    assert np.isfinite(found.get())
    last = model[kind.clusterer.__name__] if scaled else model
    assert last._model.learner.n_seen == len(ROWS)
    if not scaled:
        assert_same_state(model, learned(kind.clusterer(), X))
