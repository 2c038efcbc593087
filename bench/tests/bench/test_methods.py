"""The methods, through their interface."""

import numpy as np
import pytest
from data import drifting
from sklearn.datasets import load_iris

from phida import PHIDA, PHIDAPlus
from phida_bench import ReleasedPHIDA
from phida_bench import methods as registry
from phida_bench.methods import ClassCounted, Method, Task, method, methods

X = load_iris().data


def task(name, seed=0, n_features=4):
    found = method(name)
    count = 3 if found.needs_class_count else None
    return Task(n_features, seed, "stationary", (X.min(axis=0), X.max(axis=0)), count, found.parameters)


def run(name, stages=(X,)):
    system = method(name).make(task(name))
    for stage in stages:
        system.learn(stage)
        if isinstance(system, ClassCounted):
            system.tell_classes(3)
    return system, system.labels(np.concatenate(stages))


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("PHIDA", ReleasedPHIDA),
        ("PHIDA-equations", PHIDA),
        ("PHIDA+", PHIDAPlus),
    ],
)
def test_phida_method_equals_the_estimator(name, make):
    model = make().fit(X[:90]).partial_fit(X[90:]).refresh()
    system, labels = run(name, (X[:90], X[90:]))
    assert labels.tolist() == model.predict(X).tolist()
    n_nodes = model.n_nodes_ if name == "PHIDA+" else model.n_active_nodes_
    assert (system.n_nodes, system.n_clusters) == (n_nodes, model.n_clusters_)


@pytest.mark.parametrize("name", [m.name for m in methods().values() if m.group == "ablation"])
def test_each_ablation_changes_the_model(name):
    rows = drifting(600)
    learned = []
    for which in (name, "PHIDA"):
        system = method(which).make(task(which, n_features=3))
        system.learn(rows)
        learned.append((system.labels(rows).tolist(), system.n_nodes))
    assert learned[0] != learned[1]


@pytest.mark.parametrize("name", [m.name for m in methods().values() if m.group == "mapping"])
def test_mapping_comparisons_reach_the_number_of_classes(name):
    system, labels = run(name)
    assert len(set(labels)) == system.n_clusters
    assert system.n_clusters == 3 or name == "IDA+HDBSCAN"


def test_fewer_nodes_than_classes_are_one_cluster_each():
    system = method("IDA+KM").make(task("IDA+KM"))
    system.learn(X[:2])
    system.tell_classes(3)
    assert system.labels(X[:2]).tolist() == [0, 1]


def test_only_methods_that_need_the_class_count_get_it():
    ours = [m for m in methods().values() if m.group in ("phida", "ablation", "mapping")]
    assert {m.name for m in ours if m.needs_class_count} == {m.name for m in ours if m.group == "mapping"}


def test_a_file_can_add_methods(tmp_path, monkeypatch):
    known = dict(methods())
    monkeypatch.setattr(registry, "methods", lambda: known)
    path = tmp_path / "mine.py"
    path.write_text(
        "from phida_bench.methods import Method\n"
        "METHODS = [Method('mine', 'online', 99, 'a test', lambda task: None)]\n"
    )
    registry.add(path)
    assert isinstance(registry.method("mine"), Method)
    path.write_text("x = 1\n")
    with pytest.raises(ValueError, match="not a Python file with METHODS"):
        registry.add(path)


def test_unknown_method_error_names_the_others():
    with pytest.raises(ValueError, match="there is no method 'PHIDO'; the names are PHIDA"):
        method("PHIDO")


def test_missing_package_is_reported_with_its_extra():
    lacking = Method("x", "batch", 1, "", lambda task: None, requires={"no_such_package": "deep"})
    assert lacking.missing() == 'needs no_such_package: pip install "./bench[deep]"'


@pytest.mark.parametrize("name", [m.name for m in methods().values() if m.group == "online"])
def test_online_systems_learn_stage_by_stage(name):
    system, labels = run(name, (X[:50], X[50:100], X[100:]))
    assert labels.shape == (150,)
    assert system.n_clusters >= 1 and (system.n_nodes is None or system.n_nodes >= system.n_clusters)


@pytest.mark.parametrize("name", ["TC", "TBM-P", "SR-PCM-HDP"])
def test_batch_systems_return_fitted_labels(name):
    system, labels = run(name)
    assert len(set(labels)) == system.n_clusters and method(name).settings == ("stationary",)


def test_methods_tuned_in_the_paper_have_a_search_space():
    assert {m.name for m in methods().values() if m.space} == {"GNG", "DDVFA", "CAEA", "TBM-P", "SR-PCM-HDP"}


def test_every_published_method_exists():
    from phida_bench.published import published

    assert {m.published for m in methods().values() if m.published} == set(published()["method"])
