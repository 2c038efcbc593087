"""The reference of the manual lists all public names."""

import re
from pathlib import Path

import pytest

import phida
import phida.answers
import phida.plots
import phida.records

ROOT = Path(__file__).parents[2]


LISTED = set(re.findall(r"^   ([\w.]+)$", (ROOT / "docs" / "api" / "index.rst").read_text("utf-8"), re.MULTILINE))


@pytest.mark.parametrize("package", [phida, phida.plots], ids=lambda package: package.__name__)
def test_public_names_are_in_the_reference(package):
    assert set(package.__all__) - {"__version__"} <= LISTED


def test_answers_and_records_are_in_the_reference():
    assert {f"answers.{name}" for name in phida.answers.__all__} <= LISTED
    records = {
        name for name, value in vars(phida.records).items() if getattr(value, "__module__", "") == "phida.records"
    }
    assert {f"records.{name}" for name in records if not name.startswith("_")} <= LISTED
