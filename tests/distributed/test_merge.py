"""Models that learned apart become one."""

import json

import numpy as np
import pandas as pd
import pytest
from kinds import each_estimator
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from states import assert_same_state, state_of
from typer.testing import CliRunner

from phida import PHIDA, PHIDAPlus
from phida.cli.app import app

CENTERS = 8 * np.random.default_rng(9).normal(size=(6, 4))


def labelled(n, groups=range(6), seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(list(groups), size=n)
    return CENTERS[y] + rng.normal(size=(n, 4)), y


@each_estimator
def test_one_model_is_itself(estimator):
    model = estimator().fit(labelled(500)[0])
    merged = estimator.merge([model])
    assert merged is not model
    assert_same_state(merged, model)


@each_estimator
def test_what_each_has_seen_is_in_the_merged_model(estimator):
    models = [estimator().fit(labelled(1500, groups, seed)[0]) for seed, groups in enumerate([(0, 1, 2), (3, 4, 5)])]
    merged = estimator.merge(models)
    X, y = labelled(1000, seed=5)
    assert merged.n_samples_seen_ == 3000
    assert adjusted_rand_score(y, merged.predict(X)) > 0.8


@each_estimator
def test_the_same_models_and_seed_give_the_same_bits(estimator):
    models = [estimator().fit(labelled(800, seed=seed)[0]) for seed in range(3)]
    assert_same_state(estimator.merge(models), estimator.merge(models))
    assert not np.array_equal(
        state_of(estimator.merge(models))["samples"], state_of(estimator.merge(models, random_state=1))["samples"]
    )


@each_estimator
def test_fewer_rows_count_as_all(tmp_path, estimator):
    models = [estimator().fit(labelled(1000, seed=seed)[0]) for seed in range(2)]
    merged = estimator.merge(models, n_samples=500)
    assert merged.n_samples_seen_ == 2000
    assert state_of(merged)["stream_count"] == 2000
    merged.save(tmp_path / "m.safetensors")
    more = labelled(300, seed=7)[0]
    assert_same_state(merged.partial_fit(more), estimator.load(tmp_path / "m.safetensors").partial_fit(more))


@each_estimator
@pytest.mark.parametrize("n_samples", [None, 500, 5000])
def test_the_lineage_of_a_merged_model_begins_with_its_clusters(n_samples, estimator):
    models = [estimator().fit(labelled(1000, seed=seed)[0]) for seed in range(2)]
    merged = estimator.merge(models, n_samples=n_samples)
    assert [(e.kind, e.sample, e.after) for e in merged.lineage_] == [
        ("born", 2000, (i,)) for i in range(merged.n_clusters_)
    ]
    assert sorted(merged.cluster_ids_) == list(range(merged.n_clusters_))
    assert sum(e.support for e in merged.lineage_) <= state_of(merged)["support"].sum()
    assert merged.history_.sample.tolist() == [2000]
    merged.partial_fit(labelled(1000, seed=3)[0]).refresh()
    assert merged.history_.sample[-1] == 3000
    assert all(e.sample > 2000 for e in merged.lineage_ if e.kind != "born")


@each_estimator
def test_models_that_do_not_fit_are_refused(estimator):
    X = labelled(100)[0]
    with pytest.raises(ValueError, match="no models to merge"):
        estimator.merge([])
    with pytest.raises(ValueError, match="model 2 has 3 features and the first 4"):
        estimator.merge([estimator().fit(X), estimator().fit(X[:, :3])])
    for models, number in [([estimator()], 1), ([estimator().fit(X), estimator()], 2)]:
        with pytest.raises(NotFittedError, match=f"model {number} is not fitted"):
            estimator.merge(models)
    for n_samples in (0, -3):
        with pytest.raises(ValueError, match="n_samples must be 1 or more"):
            estimator.merge([estimator().fit(X)] * 2, n_samples=n_samples)


@each_estimator
def test_names_are_kept_where_only_some_models_have_them(estimator):
    X = labelled(100)[0]
    plain, named, other = (
        estimator().fit(X),
        *(estimator().fit(pd.DataFrame(X, columns=list(n))) for n in ("abcd", "abdc")),
    )
    for models in ([plain, named], [named, plain], [plain, plain, named]):
        assert estimator.merge(models).feature_names_in_.tolist() == list("abcd")
    assert not hasattr(estimator.merge([plain, plain]), "feature_names_in_")
    with pytest.raises(ValueError, match="model 3 has other feature names"):
        estimator.merge([plain, named, other])


def test_the_command(tmp_path):
    paths = [str(tmp_path / f"{name}.safetensors") for name in "abc"]
    models = [PHIDA().fit(labelled(400, seed=seed)[0]) for seed in range(2)]
    for model, path in zip(models, paths):
        model.save(path)
    found = CliRunner().invoke(app, ["merge", *paths[:2], "-o", paths[2], "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["samples"] == 800
    assert_same_state(PHIDA.load(paths[2]), PHIDA.merge(models))
    assert "Example: " in CliRunner().invoke(app, ["merge", "--help"]).output


def test_a_merged_model_goes_on_forgetting():
    rng = np.random.default_rng(0)
    models = [PHIDAPlus(half_life=100.0, compute_labels=False).fit(rng.normal(size=(3000, 2))) for _ in range(2)]
    merged = PHIDAPlus.merge(models, n_samples=1000)
    state = state_of(merged)
    assert state["n_seen"] == 6000 and (state["birth"] <= 6000).all()
    assert state["stream_count"] < 200, "what is left of rows that fade does not grow with their number"
    merged.partial_fit(rng.normal(size=(1000, 2)) + 50)
    assert merged.nodes_.support[merged.nodes_.representatives[:, 0] < 25].sum() < 0.1 * merged.nodes_.support.sum()
