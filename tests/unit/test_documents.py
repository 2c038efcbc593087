"""What the documents show is what happens."""

import csv
import doctest
import re
import runpy
import sys
from pathlib import Path

import phida

ROOT = Path(__file__).parents[2]


def test_readme_session():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sessions = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" in block]
    assert sessions
    for block in sessions:
        test = doctest.DocTestParser().get_doctest(block, {"PHIDA": phida.PHIDA}, "README.md", "README.md", 0)
        assert doctest.DocTestRunner().run(test).failed == 0


def test_paths_in_documents_exist():
    for name in ("README.md", "CONTRIBUTING.md", "docs/paper_map.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for path in set(re.findall(r"`((?:core|bindings|src|tests|docs|examples|tools|perf)/[\w./]+)`", text)):
            assert (ROOT / path).exists(), f"{name} speaks of {path}"


def test_demo(tmp_path, monkeypatch, capsys):
    target = tmp_path / "out" / "labels.csv"
    monkeypatch.setattr(sys, "argv", ["demo.py", str(target)])
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1797
    assert sorted(int(row["row"]) for row in rows) == list(range(1797))
    assert len({row["class"] for row in rows}) == 10
    assert "rows per second" in capsys.readouterr().out
