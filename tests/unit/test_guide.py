"""The start page and the user guide run from top to bottom and give the output that they show."""

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from typer.testing import CliRunner

from phida._cli.app import app

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["index", *sorted(f"guide/{path.stem}" for path in (DOCS / "guide").glob("*.md") if path.stem != "index")]


#: Pages that need a package beyond the group test.
NEEDS = {"guide/beside": "palmerpenguins", "guide/units": "palmerpenguins"}


def blocks(text):
    """Return (language, text) of every fenced block, in order."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def shell(code):
    """Return the output of commands, line by line; phida runs in this process, since each start takes seconds."""
    return "".join(phida(line) if re.match(r"phida [^|]*$", line) else bash(line) for line in code.splitlines())


def phida(line):
    """Return the output of a phida command."""
    done = CliRunner(env={"NO_COLOR": "1", "COLUMNS": "100"}).invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    return done.stdout


def bash(line):
    """Return the output of any other command."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "NO_COLOR": "1", "COLUMNS": "100"}
    command = ["bash", "-euo", "pipefail", "-c", line]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(code, names):
    """Return the output of a block."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "<guide>", "exec"), names)
    return printed.getvalue()


def lines(text):
    return [line.rstrip() for line in text.strip().splitlines()]


def test_pages_are_found():
    tasks = {"csv", "excel", "stream", "frame", "sentences", "fleet", "drift", "outliers", "resume", "spark"}
    assert {f"guide/{task}" for task in tasks} <= set(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_page_prints_what_it_shows(page, tmp_path, monkeypatch):
    needed = NEEDS.get(page)
    if needed is not None and importlib.util.find_spec(needed) is None:
        pytest.skip(f"the page needs {needed}: pip install --group guide")
    monkeypatch.chdir(tmp_path)
    shutil.copy(DOCS / "guide" / "intents.parquet", tmp_path)
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    found = blocks(text)
    assert any(language == "python" for language, _ in found)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = {"__name__": page}
    printed = ""
    for language, code in found:
        if language == "python":
            printed = python(code, names)
        elif language == "bash":
            printed = shell(code)
        elif language == "text" and printed:  # output of the block before
            assert lines(code) == lines(printed)
            printed = ""
    shown = re.findall(r"!\[[^\]]*\]\(([\w-]+\.png)\)", text)
    assert all((tmp_path / picture).exists() for picture in shown)
    if "PHIDA_GUIDE_PICTURES" in os.environ:  # make pictures
        for picture in shown:
            shutil.copy(tmp_path / picture, DOCS / "guide")
