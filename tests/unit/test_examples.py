"""The short examples run unchanged."""

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
#: A part of the output of each.
PRINTS = {
    "live_stream.py": ["temperature,pressure,flow,vibration,current,humidity\n"],
    "groups.py": ["200 rows: 11 clusters", "1000 rows: 15 clusters", "5000 rows: 15 clusters"],
    "plots.py": ["12000 rows: ", "events: ", " born"],
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
