"""Categories: learned by ``phida fit --categories``, or by a TableEncoder, and kept in the model file as data."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from streams_data import invoke as phida
from streams_data import said, write_table

import phida as package
from phida import InputError, PHIDAPlus, StateFileError, state_file
from phida.preprocessing import TableEncoder

RNG = np.random.default_rng(0)
GROUP = RNG.integers(2, size=600)
TABLE = pd.DataFrame(
    {
        "spend": np.where(GROUP, 900, 300) + RNG.normal(0, 60, 600),
        "plan": np.where(GROUP, "pro", "basic"),
        "visits": np.where(GROUP, 4, 12) + RNG.normal(0, 1, 600),
    }
)
COLUMNS = ["spend", "visits", "plan"]


@pytest.fixture
def here(here):
    TABLE.to_csv("table.csv", index=False)
    return here


def labels(path):
    return pd.read_csv(path).cluster.to_numpy()


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet"])
def test_fit_and_predict_equal_the_encoder_in_python(here, suffix):
    data = write_table(here / f"table.{suffix}", pa.Table.from_pandas(TABLE))
    phida("fit", data, "--categories", "plan=2", "--out", "m.model")
    phida("predict", "m.model", data, "--output", "out.csv", "--output-format", "csv", "--quiet")
    encoder = TableEncoder(categories={"plan": 2.0})
    model = PHIDAPlus(scale=None).fit(encoder.fit_transform(TABLE[COLUMNS]))
    loaded = package.load("m.model")
    assert loaded.feature_names_in_.tolist() == encoder.get_feature_names_out().tolist()
    np.testing.assert_array_equal(labels("out.csv"), model.labels_)
    assert len(set(zip(labels("out.csv"), GROUP, strict=True))) == 2


def test_summary_has_numbers_in_their_units_and_categories_as_shares(here):
    fit = json.loads(phida("fit", "table.csv", "--categories", "plan=2", "--out", "m.model", "--json").stdout)
    inspected = json.loads(phida("inspect", "m.model", "--json").stdout)
    assert fit["found"] == inspected["clusters"]
    for cluster in inspected["clusters"]:
        means = {one["feature"]: one["center"] for one in cluster["telling"]}
        assert means["plan=pro"] + means["plan=basic"] == pytest.approx(1.0)
        assert means["spend"] == pytest.approx(900 if means["plan=pro"] > 0.5 else 300, abs=60)
        for one in cluster["examples"]:
            row = TABLE.iloc[one["row"]]
            assert one["values"]["spend"] == pytest.approx(row["spend"])
            assert one["values"]["plan=pro"] == pytest.approx(float(row["plan"] == "pro"))


def test_loaded_model_predicts_tables_and_encoded_rows(here):
    phida("fit", "table.csv", "--categories", "plan", "--out", "m.model")
    model, encoder = package.load("m.model"), TableEncoder.load("m.model").set_output(transform="pandas")
    expected = model.predict(encoder.transform(TABLE[COLUMNS]))
    np.testing.assert_array_equal(model.predict(TABLE), expected)
    model.partial_fit(TABLE.iloc[::-1]).save("again.model")
    assert package.load("again.model").n_samples_seen_ == 1200
    assert (package.load("again.model").predict(TABLE) == model.predict(TABLE)).all()


def test_model_saved_with_its_encoder_predicts_on_the_command_line(here):
    table = TABLE.assign(
        member=GROUP == 1, since=pd.date_range("2024-01-01", periods=600, freq="7h").where(GROUP == 0, None)
    )
    table.to_csv("table.csv", index=False)
    encoder = TableEncoder(categories={"plan": 1.5})
    model = PHIDAPlus(scale=None).fit(encoder.fit_transform(table))
    model.save("m.model", encoder=encoder)
    phida("predict", "m.model", "table.csv", "--output", "out.csv", "--quiet")
    np.testing.assert_array_equal(labels("out.csv"), model.labels_)
    np.testing.assert_array_equal(package.load("m.model").predict(table), model.labels_)
    assert TableEncoder.load("m.model").get_feature_names_out().tolist() == encoder.get_feature_names_out().tolist()


def test_unknown_and_missing_categories_are_accepted(here):
    phida("fit", "table.csv", "--categories", "plan", "--out", "m.model")
    (here / "new.csv").write_text("visits,plan,spend\n4,new,900\n12,,300\n4,NA,\n")
    phida("predict", "m.model", "new.csv", "--output", "out.csv", "--quiet")
    rows = pd.DataFrame({"spend": [900, 300, None], "visits": [4, 12, 4], "plan": ["new", None, None]})
    np.testing.assert_array_equal(labels("out.csv"), package.load("m.model").predict(rows))


def test_update_and_stream_continue_with_the_encoding(here):
    phida("fit", "table.csv", "--categories", "plan", "--out", "m.model")
    phida("update", "m.model", "table.csv", "--out", "more.model", "--quiet")
    phida("stream", "table.csv", "--model", "m.model", "--checkpoint", "state", "--output", "out.csv", "--quiet")
    assert package.load("more.model").n_samples_seen_ == 1200
    assert (package.load("state/model.safetensors").predict(TABLE) == labels("out.csv")).mean() > 0.99


def test_fit_lists_learned_columns_and_scores_against_a_label(here):
    TABLE.assign(kind=GROUP).to_csv("table.csv", index=False)
    done = phida("fit", "table.csv", "--categories", "plan", "--label", "kind", "--json")
    assert json.loads(done.stdout)["ari"] == 1.0
    assert "3 of 4 columns are learned; left out: kind (--label)" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--categories", "nope"), "column 'nope' does not exist"),
        (("--categories", "plan=heavy"), "'heavy' is not a number"),
        (("--categories", "plan=0"), "weights above 0"),
        (("--categories", "plan", "--scale", "standard"), "leave out --scale"),
        (("--categories", "plan", "--method", "phida"), "option of PHIDA+"),
        (("--categories", "plan", "--columns", "spend,plan"), "column 'plan' is named by --columns, and by"),
        (("--categories", "plan,spend,visits"), "no columns are left"),
    ],
)
def test_wrong_categories_are_refused(here, words, message):
    done = phida("fit", "table.csv", *words)
    assert done.exit_code != 0 and message in said(done)


def test_serve_refuses_a_model_with_categories(here):
    phida("fit", "table.csv", "--categories", "plan", "--out", "m.model")
    done = phida("serve", "--model", "m.model", "--learn")
    assert done.exit_code == 2 and "learned categories" in said(done)


def test_encoder_of_other_rows_is_refused(tmp_path):
    model = PHIDAPlus(scale=None).fit(TABLE[["spend", "visits"]])
    with pytest.raises(InputError, match="the encoder gives 5 features"):
        model.save(tmp_path / "m.model", encoder=TableEncoder().fit(TABLE))


@pytest.mark.parametrize(
    "change",
    [
        lambda column: column.update(kind="code"),
        lambda column: column.update(name=3),
        lambda column: column.update(m2=-1.0),
        lambda column: column.update(mean=float("nan")),
        lambda column: column.update(weight="2"),
        lambda column: column.update(categories=["a", "b", "c"]),
        lambda column: column.update(cycles=["second"]),
        lambda column: column.update(more=1),
        lambda column: column.pop("kind"),
    ],
)
def test_damaged_encoding_is_refused(here, change):
    phida("fit", "table.csv", "--categories", "plan", "--out", "m.model")
    state, facts = state_file.read("m.model")
    change(facts["preparation"]["encode"][2])
    facts = {name: fact for name, fact in facts.items() if name != "format_version"}
    (here / "bad.model").write_bytes(state_file.content(state, facts))
    with pytest.raises(StateFileError, match="encode"):
        package.load("bad.model")
