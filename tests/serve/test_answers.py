"""The HTTP interface for programs."""

import json

import httpx
import numpy as np
import pytest
from serve_data import NAMES, X, live_stream, served
from waiting import PATIENCE

from phida import PHIDA, PHIDAPlus
from phida._serve.snapshot import EDGES, LINKS
from phida.plots import NodePositions


@pytest.fixture(scope="module", params=[PHIDAPlus, PHIDA])
def method(request):
    return request.param


@pytest.fixture(scope="module")
def model(method):
    return method(compute_labels=False).partial_fit(X)


def rows_won(model):
    """Return rows per label; nodes without a cluster count for the cluster that prediction assigns."""
    nodes = model.nodes_
    cluster = np.where(nodes.cluster < 0, model.predict(nodes.representatives), nodes.cluster)
    return np.bincount(cluster, nodes.rows, model.n_clusters_).astype(int)


def test_state_equals_the_model(client, model):
    facts = client.get("/state").json()
    assert (facts["state"], facts["source"], facts["rows"], facts["bad_rows"]) == ("ended", "rows.csv", 600, 0)
    assert facts["samples"] == 600
    assert (facts["n_nodes"], facts["n_clusters"]) == (model.n_nodes_, model.n_clusters_)
    assert facts["won"] == sum(cluster["rows"] for cluster in facts["clusters"]) == 600
    assert facts["nodes"]["id"] == model.nodes_.id.tolist()
    assert facts["n_events"] == len(model.lineage_) + model.lineage_.n_dropped
    assert facts["terms"]["components"] == (model.hierarchy_.leaves == "component")
    assert facts["clarity"]["text"] == str(model.cut_clarity_)
    assert facts["clarity"]["n_clusters"] == model.n_clusters_


def test_clusters_are_the_models_by_size(client, model):
    clusters = client.get("/state").json()["clusters"]
    won = rows_won(model)
    expected = sorted(range(model.n_clusters_), key=lambda label: (-won[label], label))
    assert [cluster["label"] for cluster in clusters] == expected
    for cluster in clusters:
        label = cluster["label"]
        assert (cluster["id"], cluster["rows"]) == (model.cluster_ids_[label], won[label])
        assert cluster["share"] == pytest.approx(won[label] / 600, abs=1e-5)
        assert cluster["nodes"] == (model.nodes_.cluster == label).sum()
    names = [cluster["name"] for cluster in clusters]
    assert len(set(names)) == len(names) and all(
        name.split(".")[0] == str(cluster["id"]) for name, cluster in zip(names, clusters)
    )


def test_ids_of_nodes_and_modes_match_their_labels(client, model):
    facts = client.get("/state").json()
    ids, nodes = model.cluster_ids_, model.nodes_
    expected = [None if label < 0 else ids[label] for label in nodes.cluster]
    assert facts["nodes"]["cluster"] == expected
    at = {id: i for i, id in enumerate(nodes.id.tolist())}
    assert facts["modes"]["cluster"] == [expected[at[node]] for node in facts["modes"]["node"]]
    for part in ("nodes", "modes"):
        for place, id in zip(facts[part]["place"], facts[part]["cluster"]):
            assert (place is None) == (id is None)
            assert place is None or facts["clusters"][place]["id"] == id


def test_phida_has_its_own_figures(client, model):
    facts, metrics = client.get("/state").json(), client.get("/metrics").text
    for name in ("n_active_nodes", "n_components", "interval", "vigilance"):
        expected = getattr(model, name + "_") if isinstance(model, PHIDA) else None
        assert facts[name] == (expected if expected is None else pytest.approx(expected, rel=1e-4))
    assert ("phida_vigilance" in metrics) == ("phida_components" in metrics) == isinstance(model, PHIDA)


def test_each_mode_of_phida_plus_has_a_ratio(client, model):
    facts = client.get("/state").json()
    modes, clarity = facts["modes"], facts["clarity"]
    if isinstance(model, PHIDA):
        assert modes["ratio"] is None and modes["threshold"] == pytest.approx(model.persistence_.threshold, rel=1e-4)
        assert "nearest" not in clarity
        return
    assert modes["threshold"] is None and len(modes["ratio"]) == len(modes["birth"])
    assert sum(ratio is None or ratio >= 1 for ratio in modes["ratio"]) == model.n_clusters_
    for name in ("nearest", "clarity"):
        assert clarity[name] == pytest.approx(getattr(model.cut_clarity_, name), rel=1e-4)


def test_edges_are_those_of_the_picture_of_nodes(client, model):
    picture = NodePositions.of(model)
    assert len(picture.source) <= (EDGES if isinstance(model, PHIDA) else LINKS)
    assert client.get("/state").json()["edges"] == [picture.source.tolist(), picture.target.tolist()]


def test_earlier_snapshots_can_be_requested(client, live):
    _, _, columns = live.feed.trail.since(0, 0)
    found = client.get("/state", params={"at": columns[0].number})
    assert found.json()["number"] == columns[0].number
    assert found.content == columns[0].snapshot
    missing = client.get("/state?at=123456789")
    assert missing.status_code == 404 and "was not kept" in missing.json()["error"]


def test_rows_are_predicted_with_lasting_ids(client, model):
    labels = model.predict(X[:50])
    for body in ([*X[:50].tolist()], {"rows": [dict(zip(NAMES, row)) for row in X[:50].tolist()]}):
        answer = client.post("/predict", json=body).json()
        assert answer["samples"] == 600
        assert answer["labels"] == labels.tolist()
        assert answer["clusters"] == model.cluster_ids_[labels].tolist()


def test_one_row_is_predicted_from_the_query(client, model):
    label = model.predict(X[:1]).tolist()
    values = [repr(value) for value in X[0].tolist()]
    assert client.get("/predict", params={"x": ",".join(values)}).json()["labels"] == label
    assert client.get("/predict", params=dict(zip(NAMES, values))).json()["labels"] == label


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("7", "send rows as"),
        ("[]", "send rows as"),
        ('{"row": [[1, 2, 3]]}', "send rows as"),
        ("[[1, 2]]", "row 0 must be a list of 3 numbers"),
        ("[[1, 2, 3], 4]", "row 1 must be a list of 3 numbers"),
        ('[[1, 2, "3"]]', "in row 0, c is not a finite number"),
        ("[[1, 2, true]]", "in row 0, c is not a finite number"),
        ("[[1, NaN, 3]]", "in row 0, b is not a finite number"),
        ("[[1, 1e200, 3]]", "in row 0, b is not a finite number"),
        (f"[[1, 2, {'9' * 400}]]", "in row 0, c is not a finite number"),
        ('[{"a": 1, "b": 2}]', "row 0 must have these features and no others: a, b, c"),
    ],
)
def test_unpredictable_rows_get_a_message(client, body, said):
    answer = client.post("/predict", content=body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/predict", "row 0 must have these features"),
        ("/predict?x=1,2", "row 0 must be a list of 3 numbers"),
        ("/predict?x=1,2,nan", "c is not a finite number"),
        ("/explain?a=0", "kind=cluster or kind=node"),
        ("/explain?kind=row&a=0", "kind=cluster or kind=node"),
        ("/explain?kind=node", "an integer, a="),
        ("/explain?kind=node&a=1e3", "an integer, a="),
        (f"/explain?kind=node&a={'9' * 30}", "an integer, a="),
        ("/explain?kind=cluster&a=0&b=x", "the id of a cluster, b="),
        ("/explain?kind=cluster&a=0.", "the id of a cluster, a="),
        (f"/explain?kind=cluster&a={'9' * 30}", "the id of a cluster, a="),
        ("/state?at=last", "an integer, at="),
    ],
)
def test_bad_requests_get_a_message(client, path, said):
    answer = client.get(path)
    assert answer.status_code == 400
    assert said in answer.json()["error"]


def test_too_many_rows_are_refused(client):
    answer = client.post("/predict", json=[[0, 0, 0]] * 10_001)
    assert answer.status_code == 413 and "at most 10,000" in answer.json()["error"]


def test_cluster_is_explained_against_its_nearest_or_another(client, model):
    names = [cluster["name"] for cluster in client.get("/state").json()["clusters"]]
    leaves = model.hierarchy_.leaves
    won = rows_won(model)
    for name in names:
        facts = client.get(f"/explain?kind=cluster&a={name}").json()
        label = facts["label"]
        assert facts["name"] == name and facts["id"] == model.cluster_ids_[label]
        assert facts["other_name"] in names and facts["other"] in model.cluster_ids_
        assert facts["nodes"] == (model.nodes_.cluster == label).sum()
        assert facts["rows"] == won[label]
        assert ("not confirmed" in facts["explanation"][0]) == ("." in name)
        compared = f"Cluster {name} differs from cluster {facts['other_name']} "
        assert any(compared in line for line in facts["explanation"])
        assert {part["feature"] for part in facts["profile"]} == set(NAMES)
        away = [abs(part["deviations"]) for part in facts["profile"]]
        assert away == sorted(away, reverse=True)
        assert (facts["components"] is None) == (leaves == "node")
        assert facts["explanation"] and all(line.endswith(".") for line in facts["explanation"])
        for other in set(names) - {name, facts["other_name"]}:
            assert client.get(f"/explain?kind=cluster&a={name}&b={other}").json()["other_name"] == other


def test_cluster_has_examples(client, model):
    for cluster in client.get("/state").json()["clusters"]:
        examples = client.get(f"/explain?kind=cluster&a={cluster['name']}").json()["examples"]
        assert bool(examples) == isinstance(model, PHIDAPlus) and len(examples) <= 3
        for example in examples:
            seen = dict(zip(NAMES, X[example["row"]]))
            for part in example["values"]:
                assert part["value"] == pytest.approx(seen[part["feature"]], rel=1e-4)


def test_node_is_explained_by_its_record(client, model):
    nodes = model.nodes_
    for at in range(0, len(nodes), 1 + len(nodes) // 50):
        facts = client.get(f"/explain?kind=node&a={nodes.id[at]}").json()
        assert (facts["birth"], facts["active"]) == (nodes.birth[at], nodes.active[at])
        assert facts["support"] == pytest.approx(nodes.support[at], abs=0.05)
        assert facts["rows"] == nodes.rows[at]
        label = nodes.cluster[at]
        assert facts["cluster"] == (None if label < 0 else model.cluster_ids_[label])
        found = [part["value"] for part in facts["features"]]
        np.testing.assert_allclose(found, nodes.representatives[at], rtol=1e-4)


@pytest.mark.parametrize("kind", ["cluster", "node"])
def test_ended_clusters_and_nodes_are_not_found(client, kind):
    answer = client.get(f"/explain?kind={kind}&a=987654")
    assert answer.status_code == 404
    assert f"{kind} 987654 no longer exists" in answer.json()["error"]


def test_other_addresses_and_methods_get_a_message(client):
    for path in ("/nothing", "/page/app.js", "/../pyproject.toml", "/app.py"):
        answer = client.get(path)
        assert answer.status_code == 404 and "there is nothing at" in answer.json()["error"]
    for method, path in (
        ("GET", "/pause"),
        ("POST", "/state"),
        ("DELETE", "/predict"),
        ("POST", "/"),
        ("POST", "/events"),
    ):
        answer = client.request(method, path)
        assert answer.status_code == 405 and answer.json()["error"]


def test_health_and_metrics_are_served(client, model):
    assert client.get("/healthz").json() == {"status": "ok", "state": "ended"}
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    lines = answer.text.splitlines()
    values = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert values["phida_rows_total"] == "600"
    assert values["phida_clusters"] == str(model.n_clusters_)
    assert values['phida_state{state="ended"}'] == "1" and values['phida_state{state="learning"}'] == "0"
    assert sum(int(value) for name, value in values.items() if name.startswith("phida_cluster_rows{")) == 600
    for name in values:
        assert f"# TYPE {name.partition('{')[0]} " in answer.text
    assert answer.text.endswith("\n")


def test_page_loads_nothing_from_other_sites(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for path in ("/app.js", "/map.js", "/style.css", "/icon.svg"):
        assert client.get(path).status_code == 200
    for path in ("/", "/app.js", "/theme.js", "/style.css"):
        assert "http://" not in client.get(path).text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in client.get(path).text


def test_requests_before_the_first_row_get_empty_answers(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n")
    live = live_stream(path, follow=True)
    with served(live, begun=False) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
        assert client.get("/state").status_code == 503
        assert client.get("/metrics").status_code == 503
        live.painter.paint()
        assert client.get("/state").json()["nodes"] is None
        assert "phida_rows_total 0" in client.get("/metrics").text
        answer = client.post("/predict", content=json.dumps([[1, 2, 3]]))
        assert answer.status_code == 503 and "no rows have been learned" in answer.json()["error"]
