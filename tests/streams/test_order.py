"""Files in blocks, random order, and the model of an interrupted fit."""

import itertools
import re
from contextlib import contextmanager

import numpy as np
import pandas
import pytest
from sklearn.datasets import make_blobs
from streams_data import invoke as phida
from streams_data import write_rows

from phida import PHIDAPlus, load
from phida._cli import inputs, models
from phida._model import PLUS
from phida._pipeline import BadRows, Pipeline
from phida._streams.lines import Interrupted, Signals
from phida._streams.opening import Source, size_of
from phida._streams.order import OrderEffect, OrderSample


def sampled(rows, sizes):
    sample = OrderSample()
    at = 0
    for size in itertools.cycle(sizes):
        if at >= len(rows):
            return sample
        sample.add(rows[at : at + size])
        at += size


@pytest.mark.parametrize("n_rows", [0, 1, 4096, 4097, 30_000])
def test_sample_is_every_nth_row_for_any_batch_size(n_rows):
    rows = np.arange(n_rows, dtype=float)[:, None]
    a, b = sampled(rows, [7, 1, 5000, 3]), sampled(rows, [999])
    step = a._step
    np.testing.assert_array_equal(np.array(a._rows).ravel(), rows[::step].ravel())
    np.testing.assert_array_equal(a._rows, b._rows)
    assert len(a._rows) <= 4096 < 2 * max(len(a._rows), 2049)


def test_order_is_compared_only_if_rows_come_in_blocks():
    rows, group = make_blobs(6000, centers=6, center_box=(-40, 40), random_state=0)
    assert sampled(rows, [1000]).effect(PLUS.settings()) is None
    effect = sampled(rows[np.argsort(group, kind="stable")], [1000]).effect(PLUS.settings())
    assert effect.rows == 3000 and effect.agreement > 0.9 and "the order matters little" in str(effect)
    few = rows[np.argsort(group, kind="stable")][::3]  # fewer rows than nodes: the order has no effect
    assert sampled(few, [1000]).effect(PLUS.settings()) is None
    assert "--shuffle" in str(OrderEffect(3000, 0.5))


def test_shuffled_fit_equals_the_estimator_on_shuffled_rows(tmp_path):
    rows, _ = make_blobs(500, random_state=0)
    pandas.DataFrame(rows, columns=["a", "b"]).to_csv(tmp_path / "rows.csv", index=False)
    done = phida("fit", tmp_path / "rows.csv", "--shuffle", "--out", tmp_path / "m.safetensors")
    assert done.exit_code == 0, done.output
    expected = PHIDAPlus().fit(rows[np.random.default_rng(0).permutation(500)])
    np.testing.assert_array_equal(load(tmp_path / "m.safetensors").cluster_centers_, expected.cluster_centers_)
    np.testing.assert_array_equal(load(tmp_path / "m.safetensors").nodes_.birth, expected.nodes_.birth)


def test_shuffled_fit_shows_progress_of_reading_and_learning_apart(tmp_path, monkeypatch):
    shown = []

    @contextmanager
    def counting(unit, *, quiet, size):
        counts = []
        yield lambda count, place: counts.append((count, place))
        shown.append((unit, size(), counts))

    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(50, 2)))
    monkeypatch.setattr(models, "counting", counting)
    monkeypatch.setattr(inputs, "BATCH", 30)
    assert phida("fit", tmp_path / "rows.npy", "--shuffle").exit_code == 0
    (read, _, read_counts), learned = shown
    assert read == "rows read" and sum(count for count, _ in read_counts) == 50
    assert learned == ("rows learned", 50, [(30, 30), (20, 50)])


def test_fit_reports_blocks(tmp_path):
    rows = np.sort(np.random.default_rng(0).normal(size=(3000, 1)), axis=0)
    pandas.DataFrame(rows, columns=["a"]).to_csv(tmp_path / "rows.csv", index=False)
    assert "rows come in blocks" in phida("fit", tmp_path / "rows.csv").stderr
    assert "rows come in blocks" not in phida("fit", tmp_path / "rows.csv", "--shuffle").stderr


@pytest.mark.parametrize("out", [True, False])
def test_interrupted_fit_keeps_the_learned_rows(tmp_path, monkeypatch, out):
    rows = np.random.default_rng(0).normal(size=(25_000, 2))
    pandas.DataFrame(rows, columns=["a", "b"]).to_csv(tmp_path / "rows.csv", index=False)
    learned = []

    def interrupted(self):
        if len(learned) == 2:
            raise Interrupted

    learn = Pipeline.learn

    def counted(self, batch, **words):
        learned.append(len(batch))
        learn(self, batch, **words)

    monkeypatch.setattr(Pipeline, "learn", counted)
    monkeypatch.setattr(Signals, "check", interrupted)
    monkeypatch.setattr(inputs, "BATCH", 1000)
    words = ("--out", tmp_path / "m.safetensors") if out else ()
    done = phida("fit", tmp_path / "rows.csv", *words)
    assert done.exit_code == 130 and done.stderr.startswith("interrupted; ")
    if out:
        assert load(tmp_path / "m.safetensors").n_samples_seen_ == 2000
        assert re.search(r"has the model of the first 2,000\s+rows", done.stderr)
    else:
        assert re.search(r"2,000 rows learned are lost. With --out FILE", done.stderr)


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "parquet", "npy"])
def test_last_offset_is_the_file_size(tmp_path, suffix):
    path = tmp_path / f"rows.{suffix}"
    write_rows(path, np.arange(5000.0).reshape(-1, 2), names="ab")
    source, places = Source(str(path)), []
    with inputs.batches(source, BadRows(), lambda count, place: places.append(place)) as (_, batches):
        assert sum(len(batch) for batch in batches) == 2500
    assert places[-1] == size_of(source)


def test_pipes_have_no_size():
    assert size_of(Source("-")) is None


def test_repeating_row_numbers_are_detected_as_ids(tmp_path):
    numbers = np.concatenate([np.arange(1, 153), np.arange(1, 69), np.arange(1, 125)])
    rng = np.random.default_rng(0)
    table = {"Sample Number": numbers, "hour": np.arange(344) % 24, "mass": rng.normal(size=344)}
    pandas.DataFrame(table).to_csv(tmp_path / "rows.csv", index=False)
    said = phida("fit", tmp_path / "rows.csv").stderr
    assert "column 'Sample Number' looks like an id" in said and "'hour'" not in said


@pytest.mark.parametrize("jobs", [(), ("--jobs", "2")])
def test_interrupted_shuffled_fit_keeps_the_learned_rows(tmp_path, monkeypatch, jobs):
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).normal(size=(60_000, 2)))
    checks = []

    def interrupted(self):
        checks.append(self)
        if len(checks) > 60 + 40:  # one check after each batch that is read, and one before each that is learned
            raise Interrupted

    monkeypatch.setattr(Signals, "check", interrupted)
    monkeypatch.setattr(inputs, "BATCH", 1000)
    done = phida("fit", tmp_path / "rows.npy", "--shuffle", *jobs, "--out", tmp_path / "m.safetensors")
    assert done.exit_code == 130
    assert load(tmp_path / "m.safetensors").n_samples_seen_ == 40_000
    assert re.search(r"has the model of 40,000\s+rows in\s+random\s+order", done.stderr)
    assert ("merging the parts learned so far" in done.stderr) == bool(jobs)
