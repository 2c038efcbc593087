"""The manual lists all public names, has a page for each decision, and its links are checked."""

import importlib.util
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


@pytest.fixture
def broken():
    spec = importlib.util.spec_from_file_location("check_links", ROOT / "tools" / "check_links.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return lambda folder: list(module.broken(folder))


def test_valid_links_pass(broken, tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<h1 id="top">B</h1>')
    (tmp_path / "a.html").write_text(
        '<a href="b/index.html#top"></a><a href="b/"></a><a href="#here" id="here"></a><a href="https://example.org/x"></a>'
    )
    assert broken(tmp_path) == []


@pytest.mark.parametrize("target", ["c.html", "b.html#no", "#no"])
def test_broken_links_are_reported(broken, tmp_path, target):
    (tmp_path / "b.html").write_text("<p>B</p>")
    (tmp_path / "a.html").write_text(f'<a href="{target}"></a>')
    assert len(broken(tmp_path)) == 1
