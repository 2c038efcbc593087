"""``phida fit``, ``update``, ``predict`` and ``inspect``."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import make_blobs
from states import assert_same_state
from streams_data import HEADER, X, as_csv, clusters_in, said, write_rows, write_table
from streams_data import invoke as phida

from phida import PHIDA, PHIDAPlus, load
from phida._cli import inputs
from phida._model import Model
from phida._pipeline import Pipeline
from phida._serve.learning import Progress
from phida._serve.moment import Moment
from phida._serve.snapshot import Sketcher
from phida._serve.trail import Trail
from phida._streams.lines import Interrupted, Signals
from phida.answers import ClusterList
from phida.answers.clusters import MOST_LISTED

CHOSEN = ("--exclude", "id")
FEATURES_ONLY = ("--exclude", "id,kind")


@pytest.fixture
def here(here):
    (here / "rows.csv").write_text(HEADER + as_csv(X))
    return here


def fitted(*more):
    found = phida("fit", "rows.csv", *CHOSEN, "--label", "kind", "--out", "m.safetensors", *more)
    assert found.exit_code == 0, found.output
    return found


def test_help_fits_a_screen_and_every_command_has_an_example():
    assert len(phida("--help", columns=100).output.splitlines()) <= 40
    for command in ("fit", "update", "predict", "stream", "inspect"):
        assert "Example: " in phida(command, "--help", columns=100).output


def test_fit_command_equals_the_estimator(here):
    facts = json.loads(fitted("--json").stdout)
    model = PHIDAPlus().fit(X)
    loaded = PHIDAPlus.load("m.safetensors")
    assert_same_state(loaded, model)
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert facts["samples"] == 600 and facts["clusters"] == model.n_clusters_ and -1 <= facts["ari"] <= 1


def test_update_command_equals_partial_fit(here):
    fitted()
    before = (here / "m.safetensors").read_bytes()
    assert phida("update", "m.safetensors", "rows.csv", "--out", "n.safetensors").exit_code == 0
    assert (here / "m.safetensors").read_bytes() == before
    model = PHIDAPlus().fit(X).partial_fit(X)
    assert_same_state(PHIDAPlus.load("n.safetensors"), model)
    assert phida("update", "m.safetensors", "rows.csv").exit_code == 0
    assert_same_state(PHIDAPlus.load("m.safetensors"), model)


def test_update_failing_before_its_first_row_keeps_the_model(here):
    fitted()
    before = (here / "m.safetensors").read_bytes()
    for bad in ("c,b,a\n1,2,\n1,2,3\n", "a,b\n1,2\n", ""):
        (here / "bad.csv").write_text(bad)
        assert phida("update", "m.safetensors", "bad.csv").exit_code == 3
        assert (here / "m.safetensors").read_bytes() == before


def test_rows_before_a_bad_row_are_learned_and_predicted(here):
    rows = HEADER + as_csv(X[:50]) + "50,1,x,2,y\n" + as_csv(X[51:])
    (here / "bad.csv").write_text(rows)
    found = phida("fit", "bad.csv", *FEATURES_ONLY, "--out", "n.safetensors")
    assert found.exit_code == 3 and "row 50: 'x' in column 'b' is not a number" in found.output
    assert "50 rows before it: learned and saved in n.safetensors" in " ".join(found.output.split())
    model = PHIDAPlus().fit(X[:50])
    assert_same_state(PHIDAPlus.load("n.safetensors"), model)
    assert phida("update", "n.safetensors", "bad.csv").exit_code == 3
    assert_same_state(PHIDAPlus.load("n.safetensors"), model.partial_fit(X[:50]))
    assert phida("predict", "n.safetensors", "bad.csv", "--output", "out.csv").exit_code == 3
    assert (here / "out.csv").read_text().count("\n") == 51


def table_without_rows(path, columns):
    """Write a file of these columns without rows; typed formats get types."""
    types = {"id": pa.int64(), "kind": pa.string()}
    write_table(path, pa.schema({name: types.get(name, pa.float64()) for name in columns}).empty_table())


def columns_of(path):
    """Return the columns of a file without rows, with their types if it has types."""
    if path.suffix in (".csv", ".ndjson"):
        return path.read_text()
    table = pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()
    assert len(table) == 0
    return dict(zip(table.schema.names, map(str, table.schema.types), strict=True))


@pytest.mark.parametrize("format", ["csv", "ndjson", "parquet", "arrow"])
def test_predict_of_no_rows_writes_the_columns(here, format):
    fitted()
    table_without_rows(here / f"none.{format}", ["id", "a", "b", "c", "kind"])
    # An empty NDJSON file names no columns: the model names its features, and the option the label.
    others = {} if format == "ndjson" else {"id": "string" if format == "csv" else "int64"}
    expected = {"row": "int64", **others, **dict.fromkeys("abc", "double"), "kind": "string", "cluster": "int64"}
    texts = {"csv": ",".join(expected) + "\n", "ndjson": ""}
    for output in ("csv", "ndjson", "parquet", "arrow"):
        words = ("--output", f"out.{output}", "--output-format", output, "--label", "kind")
        found = phida("predict", "m.safetensors", f"none.{format}", *words)
        assert found.exit_code == 0 and "the input has no rows to predict" in found.stderr, found.output
        assert columns_of(here / f"out.{output}") == texts.get(output, expected)


def test_interrupted_predict_leaves_the_output_as_it_was(here, monkeypatch):
    phida("fit", "rows.csv", *FEATURES_ONLY, "--out", "m.safetensors")
    batches = []

    def interrupted(self):
        batches.append(self)
        if len(batches) == 3:
            raise Interrupted

    monkeypatch.setattr(Signals, "check", interrupted)
    monkeypatch.setattr(inputs, "BATCH", 50)
    before = sorted(here.iterdir())
    words = ("predict", "m.safetensors", "rows.csv", *FEATURES_ONLY, "--output", "out.csv")
    assert phida(*words).exit_code == 130 and sorted(here.iterdir()) == before
    (here / "out.csv").write_text("earlier")
    batches.clear()
    assert phida(*words).exit_code == 130 and (here / "out.csv").read_text() == "earlier"


def test_predict_of_only_bad_rows_writes_the_columns(here):
    fitted()
    (here / "bad.csv").write_text(HEADER + "0,1,,2,x\n")
    found = phida("predict", "m.safetensors", "bad.csv", "--on-bad-row", "skip", "--output", "out.parquet")
    assert "the input has no rows to predict" in found.stderr and "1 bad row skipped" in found.stderr
    assert list(columns_of(here / "out.parquet")) == ["row", "id", "a", "b", "c", "kind", "cluster"]


def test_refused_first_row_keeps_the_earlier_output(here):
    fitted()
    (here / "bad.csv").write_text(HEADER + "0,1,,2,x\n")
    (here / "out.csv").write_text("earlier\n")
    assert phida("predict", "m.safetensors", "bad.csv", "--output", "out.csv").exit_code == 3
    assert (here / "out.csv").read_text() == "earlier\n"


def test_stream_without_rows_writes_an_empty_table(here):
    (here / "none.csv").write_text("a,b\n")
    assert phida("stream", "none.csv", "--output", "out.parquet").exit_code == 0
    assert columns_of(here / "out.parquet") == {"row": "int64", "a": "double", "b": "double", "cluster": "int64"}


def test_predict_matches_columns_by_name(here):
    fitted()
    (here / "turned.csv").write_text("c,note,a,b\n" + "".join(f"{c!r},x,{a!r},{b!r}\n" for a, b, c in X.tolist()))
    found = phida("predict", "m.safetensors", "turned.csv", "--output", "out.csv")
    assert found.exit_code == 0
    assert clusters_in(here / "out.csv").tolist() == PHIDAPlus().fit(X).predict(X).tolist()
    scored = phida("predict", "m.safetensors", "rows.csv", "--label", "kind", "--output", "out.csv")
    assert "against the label: ARI" in scored.output
    np.save("rows.npy", X)
    assert (
        clusters_in(phida("predict", "m.safetensors", "rows.npy").stdout).tolist()
        == clusters_in(here / "out.csv").tolist()
    )


def test_inspect_prints_the_learned_model(here):
    fitted()
    model = PHIDAPlus.load("m.safetensors")
    shown = phida("inspect", "m.safetensors").output
    assert "most distinctive features" in shown and f"{model.n_nodes_} nodes" in shown and "format 5" in shown
    assert shown.startswith(model.summary())
    facts = json.loads(phida("inspect", "m.safetensors", "--json").stdout)
    assert facts["samples"] == 600 == sum(cluster["rows"] for cluster in facts["clusters"])
    assert sorted(cluster["cluster"] for cluster in facts["clusters"]) == [*range(model.n_clusters_)]
    for cluster in facts["clusters"]:
        assert model.cluster_ids_[cluster["cluster"]] == cluster["id"]


def test_inspect_distinguishes_ids_and_labels(here):
    """Ids are numbered by confirmation, labels by their first nodes."""
    rows, _ = make_blobs(600, centers=[[0, 0], [20, 0], [0, 20]], random_state=0)
    model = PHIDAPlus().fit(rows)
    assert "ids last" not in model.summary()
    state = model._model.learner.__getstate__()
    state["cluster_id"] = np.array([2, 0, 1])[state["cluster_id"]]
    model._model = Model.restored(state, model._model.features)
    model.save("f.safetensors")
    ids = model.cluster_ids_.tolist()
    assert sorted(ids) == [0, 1, 2] and ids != [0, 1, 2]
    text = phida("inspect", "f.safetensors").output
    assert "Labels are those of predict; ids last as the model learns" in text
    for label, id in enumerate(ids):
        assert re.search(rf"(?m)^ *{label} +{id} +200 ", text)


@pytest.mark.parametrize("method", ["phida", "phida+"])
def test_all_commands_list_the_same_clusters(here, method):
    """The same numbers from fit, inspect, summary(), predict, report and the live page's state."""
    words = ("fit", "rows.csv", *FEATURES_ONLY, "--method", method, "--out", "m.safetensors")
    messages, found = phida(*words).stderr, json.loads(phida(*words, "--json").stdout)
    assert found["samples"] == sum(cluster["rows"] for cluster in found["found"]) == 600
    inspected = json.loads(phida("inspect", "m.safetensors", "--json").stdout)
    assert inspected["clusters"] == found["found"] and inspected["n_clusters"] == found["clusters"]
    model = load("m.safetensors")
    table = str(ClusterList.of(model))
    for text in (messages, phida("inspect", "m.safetensors").output, model.summary()):
        assert table in text
    labels = clusters_in(phida("predict", "m.safetensors", "rows.csv", *FEATURES_ONLY).stdout)
    ids = clusters_in(phida("predict", "m.safetensors", "rows.csv", *FEATURES_ONLY, "--ids").stdout)
    id_of = {cluster["cluster"]: cluster["id"] for cluster in found["found"]}
    assert ids.tolist() == [id_of[label] for label in labels.tolist()]
    pytest.importorskip("jinja2")
    phida("report", "m.safetensors", "rows.csv", *FEATURES_ONLY, "-o", "r.html")
    page = Path("r.html").read_text()
    unusual = int((model.score_samples(pandas.DataFrame(X, columns=model.feature_names_in_)) < 0.01).sum())
    assert f">{unusual} (" in page
    listed = [(str(cluster["cluster"]), f"{cluster['rows']:,}") for cluster in found["found"][:MOST_LISTED]]
    assert re.findall(r"<tr><td><b>(\d+)</b></td>", page) == [label for label, _ in listed]
    learned = re.findall(r"%</td>\n<td>([\d,]+)</td><td>", page)
    assert learned == [rows for _, rows in listed]
    moment = Moment.of(Pipeline.load("m.safetensors"))
    state = Sketcher(Trail(), {}).sketch(moment, Progress("ended", "", 600, 0), 1.0, 0.0).facts
    assert state["samples"] == 600 and state["n_clusters"] == found["clusters"]
    shown = [(cluster["label"], cluster["id"], cluster["rows"]) for cluster in state["clusters"]]
    assert shown == [(cluster["cluster"], cluster["id"], cluster["rows"]) for cluster in found["found"]]
    streamed = phida("stream", "rows.csv", *FEATURES_ONLY, "--method", method, "--output", "s.csv", "--json").stdout
    assert sum(cluster["rows"] for cluster in json.loads(streamed)["found"]) == 600


@pytest.mark.parametrize("output", ["csv", "ndjson", "parquet"])
def test_predict_adds_novelty(here, output):
    fitted()
    if output == "parquet":
        pytest.importorskip("pyarrow")
    words = ("predict", "m.safetensors", "rows.csv", *FEATURES_ONLY, "--novelty")
    found = phida(*words, "--output", f"out.{output}", "--output-format", output)
    assert found.exit_code == 0, found.output
    read = {"csv": pandas.read_csv, "parquet": pandas.read_parquet}.get(output, partial(pandas.read_json, lines=True))
    table = read(f"out.{output}")
    assert table.columns.tolist()[-2:] == ["cluster", "novelty"]
    model = PHIDAPlus.load("m.safetensors")
    usual = model.score_samples(pandas.DataFrame(X, columns=model.feature_names_in_))
    np.testing.assert_allclose(table["novelty"], 1 - usual, atol=1e-4)


@pytest.mark.parametrize("suffix", ["tsv", "ndjson", "parquet", "arrow", "npy"])
def test_same_rows_in_any_format_give_same_model(here, suffix):
    write_rows(here / f"out.{suffix}", X)
    assert phida("fit", f"out.{suffix}", "--out", "n.safetensors").exit_code == 0
    assert_same_state(PHIDAPlus.load("n.safetensors"), PHIDAPlus().fit(X))


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ("fit", "rows.csv", "--out", "m"),
            3,
            "1 looks like an id and 3 can be used. 'kind' ('x'): text",
        ),
        (("fit", "none.csv", "--out", "m"), 1, "file none.csv does not exist"),
        (("fit", "rows.csv", "--out", "no/m"), 1, "folder no does not exist; create it first"),
        (("predict", "m.safetensors", "rows.csv", "--output", "rows.csv"), 2, "rows.csv is the input"),
        (("predict", "m.safetensors", "rows.csv", "--output", "."), 2, "is a directory"),
        (("fit", "rows.csv", "--method", "x", "--out", "m"), 2, "--method takes phida+ or phida, not 'x'"),
        (("fit", "rows.csv", "--half-life", "0", "--out", "m"), 2, "--half-life takes a number, 1 or more, not 0."),
        (("fit", "rows.csv", "--half-life", "nan", "--out", "m"), 2, "--half-life takes a number, 1 or more, not nan."),
        (("fit", "rows.csv", "--scale", "x", "--out", "m"), 2, "--scale takes auto, standard or none, not 'x'"),
        (
            ("fit", "rows.csv", "--method", "phida", "--max-nodes", "9", "-o", "m"),
            2,
            "--max-nodes is an option of PHIDA+",
        ),
        (
            ("fit", "rows.csv", "--method", "phida", "--half-life", "9", "-o", "m"),
            2,
            "--half-life is an option of PHIDA+",
        ),
        (("fit", "rows.csv", "--method", "phida", "--scale", "none", "-o", "m"), 2, "--scale is an option of PHIDA+"),
        (("predict", "none.safetensors", "rows.csv"), 1, "file none.safetensors does not exist"),
        (("predict", "rows.csv", "rows.csv"), 4, "rows.csv is not a phida model"),
        (("inspect", "rows.csv"), 4, "rows.csv is not a phida model"),
        (("update", "m.safetensors", "narrow.csv"), 3, "column 'c' does not exist"),
        (
            ("update", "m.safetensors", "rows.csv", "--columns", "a"),
            3,
            "wrong number of features: 1 in the input, 3 in the model",
        ),
        (("fit", "empty.csv", "--out", "m"), 3, "the input has no rows to learn from"),
    ],
)
def test_mistake_gives_one_sentence_and_an_exit_code(here, words, code, message):
    fitted()
    (here / "narrow.csv").write_text("a,b\n1,2\n")
    (here / "empty.csv").write_text("a,b\n")
    found = phida(*words)
    assert found.exit_code == code
    assert message in said(found) and "Traceback" not in found.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device of Linux")
@pytest.mark.parametrize(
    "words",
    [
        ("predict", "m.safetensors", "rows.csv", "--output"),
        ("predict", "m.safetensors", "rows.csv", "--output-format", "parquet", "--output"),
        ("stream", "rows.csv", "--exclude", "id,kind", "--output"),
        ("stream", "rows.csv", "--exclude", "id,kind", "--output", "o.csv", "--events"),
        ("report", "m.safetensors", "rows.csv", "--out"),
        ("update", "m.safetensors", "bad.csv", "--on-bad-row", "log", "--bad-row-log"),
    ],
)
def test_full_disk_is_reported_with_the_name_of_the_file(here, words):
    fitted()
    (here / "bad.csv").write_text("a,b,c\n1,2,3\nx,2,3\n")
    found = phida(*words, "/dev/full")
    assert found.exit_code == 1 and "No space left on device: '/dev/full'" in found.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a device of Linux")
def test_full_disk_is_reported_with_the_name_of_the_picture(here):
    fitted()
    (here / "pictures").mkdir()
    for picture in phida("plot", "m.safetensors", "--out", "pictures", "--json").output.split('"')[3::2]:
        Path(picture).unlink()
        Path(picture).symlink_to("/dev/full")
    found = phida("plot", "m.safetensors", "--out", "pictures")
    assert found.exit_code == 1 and "No space left on device: 'pictures/nodes.png'" in found.output


def test_debug_prints_the_traceback(here):
    found = phida("--debug", "inspect", "rows.csv")
    assert type(found.exception).__name__ == "StateFileError"


def test_columns_of_a_matrix_are_chosen_by_number(here):
    np.save("five.npy", np.column_stack([np.arange(600) % 3, X, X[:, 0]]))
    assert phida("fit", "five.npy", "--label", "0", "--out", "m.safetensors").exit_code == 0
    model = PHIDAPlus.load("m.safetensors")
    assert_same_state(model, PHIDAPlus().fit(np.column_stack([X, X[:, 0]])))
    assert phida("predict", "m.safetensors", "five.npy", "--exclude", "0", "--output", "o.csv").exit_code == 0
    np.savetxt("five.csv", np.load("five.npy"), delimiter=",", fmt="%.17g")
    (here / "five.npy").rename("five.dat")
    assert phida("fit", "five.csv", "--exclude", "0", "--out", "n.safetensors").exit_code == 0
    assert_same_state(PHIDAPlus.load("n.safetensors"), model)
    assert phida("fit", "five.dat", "--format", "npy", "--exclude", "0", "--out", "n.safetensors").exit_code == 0
    assert_same_state(PHIDAPlus.load("n.safetensors"), model)


def test_other_delimiters_and_missing_values_are_read(here):
    (here / "semicolons.csv").write_text("a;b\nNA;1\n2;3\n4;5\n")
    words = ("fit", "semicolons.csv", "--delimiter", ";", "--out", "m.safetensors")
    assert "column 'a' has no value ('NA')" in phida(*words).output
    found = phida(*words, "--on-bad-row", "skip")
    assert found.exit_code == 0 and "2 rows learned" in found.output and "1 bad row " in found.output


def test_update_of_a_checkpoint_is_refused(here):
    assert (
        phida("stream", "rows.csv", *CHOSEN, "--label", "kind", "--checkpoint", "s", "--output", "o.csv").exit_code == 0
    )
    found = phida("update", "s/model.safetensors", "rows.csv")
    assert found.exit_code == 2 and "is a checkpoint" in found.output


def test_fit_prints_numbers_of_clusters_and_nodes(here):
    model = PHIDAPlus().fit(X)
    assert model.n_clusters_ > 1
    assert f"600 rows learned: {model.n_clusters_} clusters, {model.n_nodes_} nodes." in said(fitted())
    facts = json.loads(fitted("--json").stdout)
    assert (facts["method"], facts["clusters"], facts["nodes"]) == ("phida+", model.n_clusters_, model.n_nodes_)


@pytest.mark.parametrize(("option", "scale"), [("auto", "auto"), ("standard", "standard"), ("none", None)])
def test_scale_option_equals_the_estimators(here, option, scale):
    fitted("--scale", option, "--max-nodes", "50")
    assert_same_state(PHIDAPlus.load("m.safetensors"), PHIDAPlus(scale=scale, max_nodes=50).fit(X))


def test_method_phida_learns_the_published_method(here):
    model = PHIDA().fit(X)
    found = fitted("--method", "phida")
    assert f"600 rows learned: {model.n_clusters_} clusters, {model.n_nodes_} nodes." in said(found)
    assert_same_state(PHIDA.load("m.safetensors"), model)
    facts = json.loads(phida("inspect", "m.safetensors", "--json").stdout)
    assert (facts["method"], facts["n_clusters"]) == ("phida", model.n_clusters_)
    assert (facts["components"], facts["interval"]) == (model.n_components_, model.interval_)
    assert phida("update", "m.safetensors", "rows.csv").exit_code == 0
    assert_same_state(load("m.safetensors"), model.partial_fit(X))


def test_only_models_of_phida_plus_are_merged(here):
    for method in ("phida", "phida+"):
        fitted("--method", method)
        (here / "m.safetensors").rename(f"{method}.safetensors")
    (here / "same.safetensors").write_bytes((here / "phida+.safetensors").read_bytes())
    found = phida("merge", "phida+.safetensors", "same.safetensors", "-o", "both.safetensors", "--json")
    assert json.loads(found.stdout)["samples"] == 1200
    found = phida("merge", "phida+.safetensors", "phida.safetensors", "-o", "mixed.safetensors")
    assert found.exit_code == 3 and not (here / "mixed.safetensors").exists()
    assert "phida.safetensors is a model of phida, the published method" in " ".join(found.output.split())
