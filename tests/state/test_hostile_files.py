"""Files changed with bad intent, under a valid digest: each is refused with an error that names the fault."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from data import drifting
from states import assert_same_state, learner_with, parameters_in_file, state_of
from waiting import PATIENCE

from phida import PHIDA, InputError, PHIDAPlus, StateFileError, _core, state_file
from phida._safetensors import packed

X = drifting(60)
MODELS = {"PHIDA": PHIDA().partial_fit(X), "PHIDAPlus": PHIDAPlus(max_nodes=16).partial_fit(X).refresh()}
PLUS = state_of(MODELS["PHIDAPlus"])


def file_of(model, *, state=None, header=None):
    """Return a model file with a valid digest and changed entries in its state or header (None: removed)."""
    changed = {name: value for name, value in (state_of(model) | (state or {})).items() if value is not None}
    arrays = {name: value for name, value in changed.items() if isinstance(value, np.ndarray)}
    facts = {
        "library_version": "0", "params": parameters_in_file(model), "feature_names": None,
        "n_seen": changed.get("n_seen"), "stream_position": None,
        "state": {name: value for name, value in changed.items() if name not in arrays},
    }  # fmt: skip
    texts = {"format": "phida-state", "format_version": str(state_file.VERSION)} | {
        name: json.dumps(v) for name, v in facts.items()
    }
    texts = {name: text for name, text in (texts | (header or {})).items() if text is not None}
    return packed(arrays, texts | {"sha256": state_file._digest(texts, arrays)})


def refused(model, match, **changes):
    with pytest.raises(StateFileError, match=match):
        type(model).from_bytes(file_of(model, **changes))


@pytest.mark.parametrize("name", MODELS)
def test_unchanged_file_loads(name):
    model = MODELS[name]
    assert_same_state(type(model).from_bytes(file_of(model)), model)


def first(array, *values):
    changed = array.copy()
    changed.reshape(-1)[: len(values)] = values
    return changed


COMMON = [
    ("id", lambda v: v[::-1].copy()), ("birth", lambda v: v + 60), ("n_features", lambda v: 2**27),
    ("n_seen", lambda v: 60.0), ("n_created", lambda v: 12.0), ("n_seen", lambda v: True),
    ("n_seen", lambda v: 2**63 - 1), ("n_ids", lambda v: 2**63 - 1), ("n_refreshes", lambda v: 2**63 - 1),
    ("events_dropped", lambda v: 2**63 - 1), ("n_seen", lambda v: 2**70), ("history_stride", lambda v: 2**53),
    ("event_sample", lambda v: v + 61), ("lineage_sample", lambda v: 61), ("margins", lambda v: v + 2),
    ("living_id", lambda v: v + 10**6), ("format", lambda v: 3),
]  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("field", "change"), COMMON)
def test_field_of_any_model_beyond_its_limits_is_named(name, field, change):
    before = state_of(MODELS[name])[field]
    refused(MODELS[name], f"'{field}'", state={field: change(before)})


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("representative", lambda v: first(v, 1.7e308, -1.7e308)), ("representative", lambda v: first(v, 1.1e140)),
        ("mean", lambda v: first(v, -1.1e140)), ("samples", lambda v: first(v, 1e141)),
        ("m2", lambda v: first(v, 1e308)),
        ("m2", lambda v: first(v, -1.0)), ("support", lambda v: first(v, 1e300)), ("support", lambda v: first(v, 0.0)),
        ("support", lambda v: first(v, 1.5)), ("support", lambda v: v + 60), ("scale", lambda v: v * 0),
        ("stream_m2", lambda v: v * np.inf), ("stream_count", lambda v: v + 1),
        ("component", lambda v: v + 1000), ("metric_inverse", lambda v: v * 0.0),
        ("samples_kept", lambda v: 2**27), ("interval", lambda v: 2**40), ("interval", lambda v: 2**27),
        ("since_recalculation", lambda v: 2**40), ("since_refresh", lambda v: 2**40), ("ratio", lambda v: 1),
        ("metric_step", lambda v: 2**63 - 1), ("vigilance", lambda v: None),
        ("support", lambda v: -v), ("scale", lambda v: v * 0), ("representative", lambda v: v * np.nan),
        ("m2", lambda v: v[:-1]), ("mean", lambda v: v.astype(np.float32)), ("n_seen", lambda v: -1),
        ("interval", lambda v: 0), ("interval", lambda v: 1.5), ("n_features", lambda v: 0),
        ("n_features", lambda v: 2**62), ("component", lambda v: v + 1000), ("active", lambda v: v + 7),
        ("samples", lambda v: v + np.inf), ("cluster_id", lambda v: v + 1000), ("node_parent_id", lambda v: v - 5),
        ("living_id", lambda v: v[::-1].copy()), ("living_support", lambda v: v * np.nan),
        ("event_kind", lambda v: v + 9), ("event_ids", lambda v: v[:-1]), ("event_n_before", lambda v: v - 1),
        ("event_support", lambda v: v + np.inf), ("history_stride", lambda v: 0), ("margins_next", lambda v: 5000),
        ("margins", lambda v: v * np.nan), ("history_n_nodes", lambda v: v - 10**6), ("events_dropped", lambda v: -1),
        ("vigilance", lambda v: "high"), ("n_clusters", lambda v: 10**9), ("metric_gamma", lambda v: 7.0),
        ("support", lambda v: v.tolist()), ("stream_count", lambda v: -1.0),
        ("has_map", lambda v: None),
    ],
)  # fmt: skip
def test_field_of_phida_beyond_its_limits_is_named(field, change):
    refused(MODELS["PHIDA"], f"'{field}'", state={field: change(state_of(MODELS["PHIDA"])[field])})


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("max_nodes", lambda v: 7), ("max_nodes", lambda v: 8.0), ("half_life", lambda v: -1.0),
        ("max_nodes", lambda v: len(PLUS["id"])), ("mean", lambda v: first(v, 1.7e308)),
        ("mean", lambda v: first(v, np.nan)),
        ("scatter", lambda v: first(v, -1.0)), ("scatter", lambda v: first(v, np.inf)),
        ("weight", lambda v: first(v, 0.0)), ("weight", lambda v: first(v, np.inf)),
        ("credit", lambda v: first(v, -1.0)), ("gap", lambda v: first(v, np.nan)), ("allowance", lambda v: -1.0),
        ("unit", lambda v: 0.0), ("unit", lambda v: 2.0), ("metric_inverse", lambda v: first(v, -1.0)),
        ("metric_gamma", lambda v: 2.0), ("unplaced", lambda v: -1.0), ("unplaced", lambda v: 1e4),
        ("credit", lambda v: v[:-1]), ("node_won", lambda v: v[:-1]), ("id", lambda v: first(v, *v[1:2])),
        ("id", lambda v: np.append(v[:-1], PLUS["n_created"])), ("n_created", lambda v: 61),
        ("n_created", lambda v: 1), ("mapped_at", lambda v: 61),
        ("cluster_id", lambda v: v + 1000), ("node_won_mapped", lambda v: v + 60), ("margins_next", lambda v: 7),
        ("n_seen", lambda v: 2**63 - 1),
    ],
)  # fmt: skip
def test_field_of_phida_plus_beyond_its_limits_is_named(field, change):
    refused(MODELS["PHIDAPlus"], f"\\('{field}' ", state={field: change(PLUS[field])})


def test_ids_beyond_their_count_and_models_of_other_classes_are_refused():
    refused(MODELS["PHIDA"], "'cluster_id' must be", state={"n_ids": 0})
    refused(MODELS["PHIDA"], "a model of phida_bench.ReleasedPHIDA", state={"released": True})


@pytest.mark.parametrize("name", MODELS)
def test_unknown_entries_are_named(name):
    refused(MODELS[name], "'extra' is not known", state={"extra": 1})
    refused(MODELS[name], "'extra' is not known", state={"extra": np.zeros(3)})
    refused(MODELS[name], "'extra', which is not known", header={"extra": "1"})


@pytest.mark.parametrize("name", MODELS)
def test_state_without_nodes_or_rows_is_refused(name):
    model = MODELS[name]
    empty = state_of(_core.PlusLearner(3, max_nodes=16, keep_examples=3) if name == "PHIDAPlus" else _core.Learner(3))
    refused(model, "'n_seen' is 0", state=dict.fromkeys(state_of(model)) | empty)
    refused(model, "'n_seen'", state=dict.fromkeys(state_of(model)) | empty | {"n_seen": 60})


@pytest.mark.parametrize("version", ["²", "٤", "9" * 5_000, "", "0", "-1", "5.0", " 5", "05"])
def test_non_numeric_version_is_named(version):
    refused(MODELS["PHIDA"], "'format_version'", header={"format_version": version})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("params", "[" * 100_000 + "]" * 100_000), ("state", '{"a": ' * 100_000 + "1" + "}" * 100_000),
        ("n_seen", "1" * 5_000), ("n_seen", "0"), ("n_seen", "60.0"), ("n_seen", "true"), ("n_seen", "61"),
        ("feature_names", '{"a": 1, "b": 2, "c": 3}'), ("feature_names", '["a", "b", "a"]'), ("feature_names", '"abc"'),
        ("feature_names", '["a", "b"]'), ("feature_names", "[1, 2, 3]"), ("state", "[]"), ("state", "{"),
        ("params", "[]"),
        ("params", '{"compute_labels": true, "compute_labels": false}'),
    ],
)  # fmt: skip
def test_invalid_fact_is_named(name, text):
    refused(
        MODELS["PHIDA"],
        f"'{name}'" if "compute" not in text else "'compute_labels' is there twice",
        header={name: text},
    )


def test_deeply_nested_header_or_repeated_name_is_refused():
    content = MODELS["PHIDA"].to_bytes()
    end = 8 + int.from_bytes(content[:8], "little")
    for header in (
        b'{"__metadata__":' + b"[" * 200_000 + b"]" * 200_000 + b"}",
        content[8:end].rstrip()[:-1] + b',"support":{"dtype":"F64","shape":[0],"data_offsets":[0,0]}}',
        content[8:end].replace(b'"format":"phida-state"', b'"format":"phida-state","format":"phida-state"', 1),
    ):
        with pytest.raises(StateFileError, match="damaged, incomplete, or not a phida model"):
            PHIDA.from_bytes(len(header).to_bytes(8, "little") + header + content[end:])


def with_header(header):
    return len(header).to_bytes(8, "little") + header


def test_repeated_names_are_refused_in_linear_time():
    def seconds(n):
        names = ",".join(f'"{i}":0' for i in range(n))
        begun = time.process_time()
        with pytest.raises(StateFileError, match="'0' is there twice"):
            PHIDA.from_bytes(with_header(f'{{{names},"0":0}}'.encode()))
        return time.process_time() - begun

    few, many = (min(seconds(n) for _ in range(3)) for n in (5_000, 50_000))
    assert many < 40 * few  # ten times the names; a quadratic search would take a hundred times as long


@pytest.mark.parametrize("where", ["header", "state"])
def test_number_with_too_many_digits_is_refused_as_damage(where):
    digits = "7" * 5_000
    if where == "header":
        content = with_header(f'{{"a":{digits}}}'.encode())
    else:
        content = file_of(MODELS["PHIDA"], header={"n_seen": digits})
    with pytest.raises(StateFileError, match="a number has 5,000 digits; at most 600 are read"):
        PHIDA.from_bytes(content)


@pytest.mark.parametrize("field", ["node_won", "living_rows", "living_settled", "living_rate_won", "living_rate_of"])
@pytest.mark.parametrize("name", MODELS)
def test_overflowing_counter_keeps_the_earlier_file(name, field, tmp_path):
    path = tmp_path / "model"
    value = state_of(MODELS[name])[field]
    state = {field: np.full_like(value, 2**53)}
    path.write_bytes(before := file_of(MODELS[name], state=state))
    model = type(MODELS[name]).load(path)
    for _ in range(20):
        model.partial_fit(X)
    model.refresh()
    try:
        model.save(path)
    except ValueError as error:
        assert "cannot be saved" in str(error) and f"'{field}'" in str(error)
        assert path.read_bytes() == before
    type(model).load(path)


def test_forged_components_do_not_break_explanations():
    model = MODELS["PHIDA"]
    fitted = PHIDA().fit(X)
    state = state_of(fitted)
    n = len(state["support"])
    forged = {"component": np.full(n, n - 1, dtype=np.int32), "n_components": n, "n_clusters": 1}
    loaded = type(model).from_bytes(file_of(fitted, state=forged))
    for a in range(5):
        str(loaded.explain(X[a], X[-1 - a]))
    assert loaded.predict(X).tolist() == fitted.predict(X).tolist()


def test_full_disk_error_names_the_file(tmp_path):
    path = tmp_path / "model"
    MODELS["PHIDA"].save(path)
    before = path.read_bytes()
    program = f"""
import resource, signal, sys
import numpy as np
from phida import PHIDA
model = PHIDA.load({str(path)!r})
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    model.save({str(path)!r})
except OSError as error:
    sys.exit(0 if error.filename == {str(path)!r} and {str(path)!r} in str(error) else 2)
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE).returncode == 0
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["model"]


def test_width_without_values_allocates_nothing():
    wide = 2**40
    state = state_of(_core.Learner(3)) | {
        "n_features": wide, **{name: np.zeros((0, wide)) for name in ("representative", "mean", "m2", "samples")},
    }  # fmt: skip
    with pytest.raises(ValueError, match="'n_features' is not the length of 'stream_mean'"):
        learner_with(state)


def test_model_at_the_limit_of_its_counter_refuses_rows_and_stays_unchanged():
    for model, most in (
        (MODELS["PHIDA"], {"n_seen": 2**53, "stream_count": 2.0**53}),
        (MODELS["PHIDAPlus"], {"n_seen": 2**53}),
    ):
        full = type(model).from_bytes(file_of(model, state=most))
        with pytest.raises(OverflowError, match="at most 2\\^53 rows"):
            full.partial_fit(X)
        assert full.n_samples_seen_ == 2**53
        assert_same_state(type(model).from_bytes(full.to_bytes()), full)


def test_saved_parameters_are_those_of_the_model(tmp_path):
    model = PHIDAPlus(max_nodes=40).partial_fit(X)
    model.set_params(max_nodes=50, compute_labels=False)
    loaded = PHIDAPlus.from_bytes(model.to_bytes())
    assert (loaded.max_nodes, loaded.compute_labels) == (40, False)
    model.set_params(compute_labels="nonsense")
    with pytest.raises(ValueError, match="compute_labels"):
        model.save(tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_columns_with_one_name_are_refused_before_learning():
    """Such a model could be saved but never loaded."""
    pandas = pytest.importorskip("pandas")
    with pytest.raises(InputError, match="'a' 2 times"):
        PHIDA().fit(pandas.DataFrame(X, columns=["a", "b", "a"]))


def test_model_out_of_memory_is_unusable_and_reports_it():
    """Memory runs out during learning; all later calls report it, and other models are not affected."""
    code = """
import numpy as np, resource
from phida import PHIDA
rows = np.cumsum(np.random.default_rng(0).normal(size=(3000, 2000)), axis=0)
model, other = PHIDA(compute_labels=False).partial_fit(rows[:10]), PHIDA(compute_labels=False).partial_fit(rows[:10])
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + 60 * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
said = []
uses = (lambda: model.partial_fit(rows), lambda: model.n_samples_seen_, lambda: model.predict(rows[:2]), model.to_bytes)
for use in uses:
    try:
        use()
    except RuntimeError as error:
        said.append(str(error))
print(len(said), all("the model is lost; load it from its file" in text for text in said))
print(other.partial_fit(rows[10:12]).n_samples_seen_)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE)
    assert (found.stdout.split(), found.returncode) == (["4", "True", "12"], 0), found.stderr


def test_released_copies_have_the_same_sign_of_zero():
    """The centre of the metric is a median; the sign of a zero median must not depend on earlier tracking."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = np.where(rng.random((120, 3)) < 0.7, rng.choice([0.0, -0.0], size=(120, 3)), rng.normal(size=(120, 3)))
        learner = _core.Learner(3, released=True)
        for row in rows[:60]:
            learner.learn(row[None])
        twin = learner_with(learner.__getstate__())
        for row in rows[60:]:
            learner.learn(row[None])
            twin.learn(row[None])
            assert_same_state(twin, learner)
