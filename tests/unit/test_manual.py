"""The manual lists all public names and has a page for each decision."""

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


def test_decisions_are_numbered_and_state_the_decision():
    pages = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    assert pages
    for page in pages:
        number, text = int(page.name[:4]), page.read_text("utf-8")
        assert text.startswith(f"# {number}. ")
        assert "**Decision.**" in text
