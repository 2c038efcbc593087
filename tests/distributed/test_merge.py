"""Merging models that learned separately."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from states import assert_same_state
from streams_data import invoke, said

from phida import PHIDA, PHIDAPlus
from phida.distributed import merge_parts, merge_tree

CENTERS = 12 * np.random.default_rng(9).normal(size=(6, 4))


def labelled(n, groups=range(6), seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(list(groups), size=n)
    return CENTERS[y] + rng.normal(size=(n, 4)), y


def fitted(n, groups=range(6), seed=0, **parameters):
    return PHIDAPlus(compute_labels=False, **parameters).fit(labelled(n, groups, seed)[0])


def copied(model):
    return pickle.loads(pickle.dumps(model))


def test_merged_model_has_the_rows_of_all_models():
    models = [fitted(2000, groups, seed) for seed, groups in enumerate([(0, 1), (2, 3), (4, 5)])]
    others = [copied(model) for model in models[1:]]
    assert models[0].merge(*models[1:]) is models[0]
    for model, before in zip(models[1:], others, strict=True):
        assert_same_state(model, before)
    X, y = labelled(1000, seed=5)
    assert models[0].n_samples_seen_ == 6000
    assert adjusted_rand_score(y, models[0].predict(X)) > 0.95
    rows = np.concatenate([labelled(2000, groups, seed)[0] for seed, groups in enumerate([(0, 1), (2, 3), (4, 5)])])
    np.testing.assert_allclose(models[0].moments_.mean, rows.mean(axis=0))
    np.testing.assert_allclose(models[0].moments_.deviation, rows.std(axis=0, ddof=1))


@pytest.mark.parametrize("n", [9, 12])
def test_many_models_merge_in_pairs(n):
    models = [fitted(300, seed=seed, max_nodes=64) for seed in range(n)]
    before = [copied(model) for model in models]
    expected = copied(models[0]).merge(merge_tree([copied(model) for model in models[1:]], merge_parts))
    models[0].merge(*models[1:])
    assert_same_state(models[0], expected)
    assert models[0].n_samples_seen_ == 300 * n
    for model, unchanged in zip(models[1:], before[1:], strict=True):
        assert_same_state(model, unchanged)


def test_clusters_of_the_first_model_keep_their_ids():
    first = fitted(2000, (0, 1, 2))
    before = first.cluster_ids_[first.predict(CENTERS[:3])]
    first.merge(fitted(2000, (3, 4, 5), seed=1))
    after = first.cluster_ids_[first.predict(CENTERS)]
    assert after[:3].tolist() == before.tolist()
    assert not set(after[3:]) & set(before)


def test_new_groups_of_the_second_model_are_born_after_the_first_models_rows():
    events = []
    first = fitted(2000, (0, 1, 2)).on_event(events.append)
    first.merge(fitted(2000, (2, 3), seed=1))
    born = [event for event in events if event.kind == "born"]
    assert len(born) == 1, "group 2 joins the cluster of the first model"
    assert 2000 < born[0].sample < 2100
    assert born[0].after == (first.cluster_ids_[first.predict(CENTERS[3:4])[0]],)


@pytest.mark.parametrize(("max_nodes", "n_parts", "n_groups"), [(64, 3, 12), (128, 8, 12)])
def test_equal_parts_of_one_stream_keep_the_ids_of_the_first(max_nodes, n_parts, n_groups):
    X, _ = make_blobs(1500 * n_parts, n_features=5, centers=n_groups, random_state=0)
    first, *others = (PHIDAPlus(max_nodes=max_nodes).fit(X[i::n_parts]) for i in range(n_parts))
    before = first.predict_id(X)
    assert "died" not in [event.kind for event in first.merge(*others).lineage_]
    assert (first.predict_id(X) == before).mean() > 0.99


def test_model_given_twice_is_refused():
    first, second = fitted(100), fitted(100, seed=1)
    before = copied(first)
    with pytest.raises(ValueError, match="given twice"):
        first.merge(second, second)
    assert_same_state(first, before)


def test_weights_of_models_of_different_ages_add():
    young, old = (PHIDAPlus(half_life=100.0).fit(labelled(rows)[0]) for rows in (50, 3000))
    total = young.nodes_.support.sum() + old.nodes_.support.sum()
    assert young.merge(old).nodes_.support.sum() == pytest.approx(total)


def test_merging_removes_labels_of_earlier_rows():
    model = PHIDAPlus().fit(labelled(100)[0])
    model.merge(fitted(100, seed=1))
    assert not hasattr(model, "labels_")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda X: PHIDAPlus(), "fitted"),
        (lambda X: PHIDAPlus().fit(X[:, :3]), "features"),
        (lambda X: PHIDAPlus().fit(pd.DataFrame(X, columns=list("abdc"))), "features"),
        (lambda X: PHIDAPlus(max_nodes=16).fit(X), "max_nodes"),
        (lambda X: PHIDA().fit(X), "PHIDA"),
    ],
    ids=["unfitted", "width", "names", "settings", "kind"],
)
def test_incompatible_models_are_refused_and_unchanged(other, reason):
    X = labelled(100)[0]
    model = PHIDAPlus().fit(pd.DataFrame(X, columns=list("abcd")))
    before = copied(model)
    with pytest.raises((TypeError, ValueError), match=reason):
        model.merge(other(X))
    assert_same_state(model, before)


def test_merged_model_continues_to_forget():
    rng = np.random.default_rng(0)
    one, other = (PHIDAPlus(half_life=100.0, compute_labels=False).fit(rng.normal(size=(3000, 2))) for _ in range(2))
    merged = one.merge(other)
    assert merged.n_samples_seen_ == 6000
    assert merged.nodes_.support.sum() < 400, "the weight of rows that fade does not grow with their number"
    merged.partial_fit(rng.normal(size=(1000, 2)) + 50)
    assert merged.nodes_.support[merged.nodes_.representatives[:, 0] < 25].sum() < 0.1 * merged.nodes_.support.sum()


def test_merge_command_equals_merge(tmp_path):
    paths = [str(tmp_path / f"{name}.safetensors") for name in "abc"]
    models = [fitted(400, seed=seed) for seed in range(2)]
    for model, path in zip(models, paths, strict=False):
        model.save(path)
    found = invoke("merge", *paths[:2], "-o", paths[2], "--json")
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["samples"] == 800
    assert_same_state(PHIDAPlus.load(paths[2]), models[0].merge(models[1]))


def test_merge_command_refuses_the_same_file_twice(tmp_path):
    path = tmp_path / "a.safetensors"
    fitted(100).save(path)
    found = invoke("merge", path, path, "-o", tmp_path / "b.safetensors")
    assert found.exit_code != 0 and "given twice" in said(found)
    assert not (tmp_path / "b.safetensors").exists()


def fitted_file(path, lines, *options):
    path.write_text("\n".join(lines) + "\n")
    ran = invoke("fit", path, *options, "--out", path.with_suffix(".st"))
    assert ran.exit_code == 0, ran.output
    return str(path.with_suffix(".st"))


@pytest.mark.parametrize(
    ("lines", "options", "reason"),
    [
        (["a,t", "1,1", "2,", "3,9"], ["--impute", "mean"], "missing values"),
        (["a,t", "1,true", "2,false", "3,true"], ["--convert", "t"], "the same --convert"),
        (["a,t", "1,x", "2,y", "3,x"], ["--categories", "t"], "different encoders"),
    ],
    ids=["impute", "convert", "categories"],
)
def test_models_with_different_preparation_are_refused(tmp_path, lines, options, reason):
    numbers = fitted_file(tmp_path / "numbers.csv", ["a,t", "1,1", "2,3", "3,9"])
    prepared = fitted_file(tmp_path / "prepared.csv", lines, *options)
    for order in ([numbers, prepared], [prepared, numbers]):
        found = invoke("merge", *order, "-o", tmp_path / "both.st")
        assert found.exit_code != 0 and reason in said(found)


def test_models_with_encoders_of_their_own_are_refused_by_file_name(tmp_path):
    one = fitted_file(tmp_path / "one.csv", ["a,t", "1,x", "2,y", "3,x"], "--categories", "t")
    other = fitted_file(tmp_path / "other.csv", ["a,t", "1,x", "2,y", "9,x"], "--categories", "t")
    found = invoke("merge", one, other, "-o", tmp_path / "both.st")
    assert found.exit_code != 0
    assert "other.st and the first model have different encoders" in said(found)


def test_models_with_the_encoder_of_the_first_are_merged(tmp_path):
    one = fitted_file(tmp_path / "one.csv", ["a,t,b", "1,x,3", "2,y,4", "3,x,6"], "--categories", "t=2")
    other = fitted_file(tmp_path / "other.csv", ["b,a,t", "5,1,x", "3,,z", "4,9,x"], "--categories-of", one)
    both = str(tmp_path / "both.st")
    assert invoke("merge", one, other, "-o", both).exit_code == 0
    assert_same_state(PHIDAPlus.load(both), PHIDAPlus.load(one).merge(PHIDAPlus.load(other)))
    assert invoke("predict", both, tmp_path / "other.csv").exit_code == 0


@pytest.mark.parametrize("options", [("--categories", "t"), ()], ids=["both options", "no categories"])
def test_encoder_of_another_model_is_refused(tmp_path, options):
    numbers = fitted_file(tmp_path / "numbers.csv", ["a,t", "1,1", "2,3"])
    ran = invoke("fit", tmp_path / "numbers.csv", *options, "--categories-of", numbers)
    assert ran.exit_code == 2 and "categories-of" in said(ran)


@pytest.mark.parametrize(
    ("names", "difference"),
    [
        ("abdc", "same names in another order, feature 2 is 'd' instead of 'c'"),
        ("abcx", "it lacks 'd' and it adds 'x'"),
        ("abc", "it lacks 'd'"),
        ("wxyz", "it lacks 'a', 'b', 'c' and 1 more and it adds 'w', 'x', 'y' and 1 more"),
    ],
)
def test_error_names_the_features_that_differ(names, difference):
    X = labelled(100)[0]
    model = PHIDAPlus().fit(pd.DataFrame(X, columns=list("abcd")))
    with pytest.raises(ValueError, match=difference):
        model.merge(PHIDAPlus().fit(pd.DataFrame(X[:, : len(names)], columns=list(names))))


def test_list_of_models_is_refused_with_the_way_to_pass_it():
    with pytest.raises(TypeError, match=r"merge\(\*models\)"):
        fitted(100).merge([fitted(100, seed=1)])


def test_merged_model_fills_missing_values_apart_from_the_other_model():
    X = labelled(200)[0]
    one = PHIDAPlus(missing="mean", compute_labels=False).fit(X[:100])
    other = PHIDAPlus(missing="mean", compute_labels=False).fit(pd.DataFrame(X[100:], columns=list("abcd")))
    before = other.to_bytes()
    one.merge(other).partial_fit(pd.DataFrame(X + 100, columns=list("abcd")))
    assert one.feature_names_in_.tolist() == list("abcd")
    assert other.to_bytes() == before
