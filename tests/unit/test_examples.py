"""The short examples run unchanged."""

import json
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
#: A part of the output of each.
PRINTS = {
    "sklearn_pipeline.py": ["178 rows: ", " clusters, 178 nodes", "the last five rows belong to [", "all at once: "],
    "river_evaluation.py": ["2000 rows: AdjustedRand 0.", "Silhouette "],
    "bertopic_online.py": ["batch 5: 6 topics in it", "topics of all documents so far: ["],
    "live_stream.py": ["temperature,pressure,flow,vibration,current,humidity\n"],
    "groups.py": ["200 rows: 11 clusters", "1000 rows: 15 clusters", "5000 rows: 15 clusters"],
    "plots.py": ["12000 rows: ", "events: ", " born"],
    "frames.py": [f"{who}: 2 clusters" for who in ("pandas", "estimator, polars", "river model, polars")],
}


def test_every_example_has_an_expected_output():
    elsewhere = {"demo.py", "spark_growing_directory.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == PRINTS.keys() | elsewhere


@pytest.mark.parametrize("name", PRINTS)
def test_example_prints_its_expected_output(name, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    printed = capsys.readouterr().out
    for part in PRINTS[name]:
        assert part in printed


def test_notebook_runs(capsys):
    import matplotlib.pyplot as plt

    notebook = json.loads((EXAMPLES / "quick_start.ipynb").read_text(encoding="utf-8"))
    before = plt.get_backend()
    plt.switch_backend("Agg")
    names = {}
    for cell in notebook["cells"]:
        assert not cell.get("outputs"), "clear the outputs before you commit"
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(plt.get_fignums()) == 2
    plt.close("all")
    plt.switch_backend(before)
    printed = capsys.readouterr().out
    assert "digits up to 9: " in printed and printed.endswith("True\n")
