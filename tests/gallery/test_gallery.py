"""The pages of the gallery: each runs as it is, without a warning, prints figures and draws pictures."""

import ast
import importlib.util
import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
PAGES = sorted(GALLERY.glob("plot_*.py"))
#: What belongs to the group gallery, and not to the group test.
BEYOND = {"statsmodels", "tokenizers", "wordllama"}


def imported(page):
    """Names of the packages that a page needs."""
    for node in ast.walk(ast.parse(page.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def needed(page):
    """What of the group gallery a page needs; some read the files of a package and do not import it."""
    return {name for name in BEYOND if f'"{name}"' in page.read_text(encoding="utf-8")} | BEYOND & set(imported(page))


@pytest.fixture
def pictures(monkeypatch):
    """Draws without a screen, and closes what was drawn."""
    monkeypatch.setattr(plt, "show", lambda: None)  # where there is a screen, it would warn that this is none
    before = mpl.get_backend()
    plt.switch_backend("Agg")
    with mpl.rc_context():
        yield
    plt.close("all")
    plt.switch_backend(before)


def test_there_is_a_gallery():
    assert 10 <= len(PAGES) <= 14


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_its_title(page):
    first, title, line, *_ = page.read_text(encoding="utf-8").splitlines()
    assert first == '"""'
    assert line == "=" * len(title)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, pictures, capsys):
    for name in sorted(needed(page)):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{page.name} needs {name}: pip install --group gallery")
    runpy.run_path(str(page), run_name="__main__")
    assert capsys.readouterr().out
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()  # what is drawn only then may warn as well
