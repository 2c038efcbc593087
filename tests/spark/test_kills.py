"""Drivers, executors and workers are killed in their own processes; the model equals that of an undisturbed run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data import five_groups
from states import assert_same_state

from phida import PHIDA, PHIDAPlus
from phida.distributed import learn_part, merge_parts, merge_tree

DRIVER = Path(__file__).parents[1] / "spark_driver.py"
SECONDS = 420  # a limit for hanging drivers: pinned to one busy core, a driver needs 200 to 250
FIRST_PARTITION = [2600]  # of 4800 rows: Spark starts with the largest file

pytestmark = [pytest.mark.filterwarnings("ignore::ResourceWarning")]  # a long session of the JVM leaves open sockets


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A stream of three batches with two files each, and a table of two partitions."""
    folder = tmp_path_factory.mktemp("rows")
    for name, cuts in (("stream", 6), ("table", FIRST_PARTITION)):
        (folder / name).mkdir()
        for number, rows in enumerate(np.array_split(five_groups(4800), cuts)):
            path = folder / name / f"{number}.parquet"
            frame = pd.DataFrame(rows, columns=list("abcd"))
            if name == "table":
                frame["n"] = np.arange(len(rows)) + 4800 * number
            frame.to_parquet(path)
            os.utime(path, (1e9 + number, 1e9 + number))  # Spark reads the oldest file first
    return folder


@pytest.fixture(scope="module")
def expected(spark, source, tmp_path_factory):
    """The model of an undisturbed run."""
    from spark_driver import learned

    checkpoint = tmp_path_factory.mktemp("undisturbed")
    learned(spark, source, checkpoint)
    return PHIDAPlus.load(checkpoint / "model.safetensors")


def started(master, source, checkpoint, happening, marker):
    return subprocess.Popen(
        [sys.executable, DRIVER, master, source, checkpoint, happening, marker],
        start_new_session=True,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def kill(process):
    """Kill the driver, its JVM and all workers at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def fail(process, folder):
    """Fail with the output of a driver that should have ended, and of the killed processes."""
    os.killpg(process.pid, signal.SIGQUIT)  # Python and the JVM print their stacks
    try:
        output, _ = process.communicate(timeout=10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    there = sorted(path.name for path in [*folder.iterdir(), *folder.glob("kept/*")])
    pytest.fail(f"after {SECONDS} s there are {there}, and the driver does this:\n{output}", pytrace=False)


def ended_well(process, folder):
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        fail(process, folder)
    assert process.returncode == 0, output


def killed_at(marker, process):
    until = time.monotonic() + SECONDS
    while not marker.exists():
        if process.poll() is not None:
            pytest.fail(process.communicate()[0], pytrace=False)
        if time.monotonic() > until:
            fail(process, marker.parent)
        time.sleep(0.05)
    kill(process)


@pytest.fixture(scope="module")
def struck(java, source, tmp_path_factory):
    """A driver whose executors and workers are killed, and its folder; it runs in parallel to the other tests here."""
    folder = tmp_path_factory.mktemp("struck")
    process = started("local-cluster[2,1,1024]", source, folder / "kept", "in tasks", folder / "marker")
    yield process, folder
    if process.poll() is None:
        kill(process)


def merged(parts):
    models = [learn_part(PHIDAPlus(compute_labels=False), rows) for rows in parts]
    return merge_tree(models, merge_parts)


def test_undisturbed_driver_gives_the_expected_model(struck, expected):
    files = np.array_split(five_groups(4800), 6)
    batches = [merged(files[k : k + 2]) for k in (0, 2, 4)]
    assert_same_state(batches[0].refresh().merge(batches[1]).merge(batches[2]), expected)


def test_killed_driver_resumes_to_the_same_model(spark, source, expected, tmp_path):
    from spark_driver import learned

    checkpoint = tmp_path / "kept"
    killed_in = {"in a batch": 1600, "behind a batch": 3200}
    for happening, n_seen in killed_in.items():
        marker = tmp_path / happening
        killed_at(marker, started("local[2]", source, checkpoint, happening, marker))
        assert PHIDAPlus.load(checkpoint / "model.safetensors").n_samples_seen_ == n_seen
    learned(spark, source, checkpoint)
    assert_same_state(PHIDAPlus.load(checkpoint / "model.safetensors"), expected)


def test_killed_executors_and_workers_change_no_bit(struck, expected):
    process, folder = struck
    ended_well(process, folder)
    for way in ("stream", "PHIDA", "PHIDAPlus"):
        for killed in ("worker", "executor"):
            assert (folder / f"{way}.{killed}").exists(), "nothing was killed"
    folder /= "kept"
    assert_same_state(PHIDAPlus.load(folder / "model.safetensors"), expected)
    rows = five_groups(4800)
    assert_same_state(PHIDA.load(folder / "PHIDA.safetensors"), PHIDA(compute_labels=False).fit(rows))
    parts = np.array_split(rows, FIRST_PARTITION)
    assert_same_state(PHIDAPlus.load(folder / "PHIDAPlus.safetensors"), merged(parts).refresh())
