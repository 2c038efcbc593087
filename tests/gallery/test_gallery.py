"""The pages of the gallery: each runs as it is, without warnings, prints figures and draws pictures."""

import ast
import importlib.util
import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
PAGES = sorted(GALLERY.glob("plot_*.py"))
#: Packages of the group gallery, which the group test lacks.
BEYOND = {"statsmodels", "tokenizers", "wordllama"}


def imported(page):
    """Return the names of the packages that a page imports."""
    for node in ast.walk(ast.parse(page.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def needed(page):
    """Return the packages of the group gallery that a page needs; some pages read files of a package and never import
    it."""
    return {name for name in BEYOND if f'"{name}"' in page.read_text(encoding="utf-8")} | BEYOND & set(imported(page))


@pytest.fixture
def pictures(monkeypatch):
    """Draw without a screen, and close all figures afterwards."""
    monkeypatch.setattr(plt, "show", lambda: None)  # with a screen, matplotlib would warn about the backend
    before = mpl.get_backend()
    plt.switch_backend("Agg")
    with mpl.rc_context():
        yield
    plt.close("all")
    plt.switch_backend(before)


def test_gallery_has_pages():
    assert 10 <= len(PAGES) <= 14


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_starts_with_its_title(page):
    first, title, line, *_ = page.read_text(encoding="utf-8").splitlines()
    assert first == '"""'
    assert line == "=" * len(title)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs_without_warnings(page, pictures, capsys):
    for name in sorted(needed(page)):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{page.name} needs {name}: pip install --group gallery")
    runpy.run_path(str(page), run_name="__main__")
    assert capsys.readouterr().out
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()  # text and ticks are drawn late, and may warn
