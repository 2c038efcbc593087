"""Examples in the documents give the output that is shown."""

import csv
import doctest
import re
import runpy
import sys
from pathlib import Path

import pytest

import phida

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["README.md", "docs/estimators.md", "docs/identity.md", "docs/river.md"])
def test_sessions_print_what_is_shown(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # sessions write files
    text = (ROOT / name).read_text(encoding="utf-8")
    sessions = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if ">>>" in block]
    assert sessions
    names = {"PHIDA": phida.PHIDA}
    for block in sessions:
        test = doctest.DocTestParser().get_doctest(block, names, name, name, 0)
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
        names = test.globs  # from one session to the next


#: Benchmark and screenshots, which an sdist omits; only an sdist has a file PKG-INFO.
LEFT_OUT = {"docs/serve", "bench"} if (ROOT / "PKG-INFO").exists() else set()


def test_paths_in_documents_exist():
    documents = ["README.md", "CONTRIBUTING.md", "tests/golden/README.md"]
    for name in documents + [f"docs/{page}.md" for page in ("algorithm", "paper_map", "plots", "river")]:
        text = (ROOT / name).read_text(encoding="utf-8")
        for path in set(re.findall(r"`((?:core|bindings|src|tests|docs|examples|tools|perf|bench)/[\w./]+)`", text)):
            assert path in LEFT_OUT or path.split("/")[0] in LEFT_OUT or (ROOT / path).exists(), (
                f"{name} speaks of {path}"
            )


def code(path):
    """Return the text of a source file without its comments."""
    return re.sub(r"//.*|#(?!include).*", "", path.read_text(encoding="utf-8"))


def claims(text):
    """Yield (name, file) for "`name` in `file`" and "`name`, same file" in tables; the file is None for a name
    alone."""
    file = None
    for line in text.splitlines():
        for cell in line.split("|") if line.startswith("|") else ():
            for clause in cell.split(";"):
                waiting = []
                for token, same in re.findall(r"`([^`]+)`|(same file)", clause):
                    if same or re.match(r"core/.*\.[ch]pp$", token):
                        file = file if same else token
                        yield from ((name, file) for name in waiting)
                        waiting = []
                    elif re.fullmatch(r"[A-Za-z_]\w*(?:(?:::|\.)\w+)*", token):
                        waiting.append(token)
                yield from ((name, None) for name in waiting)


def occurs(name, text):
    """Return whether every part of a name is a word of the text."""
    parts = re.split(r"::|\.", name)
    return all(re.search(rf"\b{part}\b", text) for part in parts)


def test_functions_of_the_paper_map_are_in_the_named_files():
    files = [path for folder in ("core", "bindings", "src") for path in (ROOT / folder).rglob("*")]
    everything = "\n".join(code(path) for path in files if path.suffix in (".hpp", ".cpp", ".py"))
    found = list(claims((ROOT / "docs" / "paper_map.md").read_text(encoding="utf-8")))
    assert sum(file is not None for _, file in found) > 40
    for name, file in found:
        text = everything if file is None else code(ROOT / file)
        whole = file is not None and file.endswith(".cpp") and "::" in name  # members are defined by their full name
        there = name in text if whole else occurs(name, text)
        assert there, f"docs/paper_map.md speaks of {name} in {file or 'the code'}"


def test_demo_runs(tmp_path, monkeypatch, capsys):
    target = tmp_path / "out" / "labels.csv"
    monkeypatch.setattr(sys, "argv", ["demo.py", str(target)])
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    with target.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 1797
    assert sorted(int(row["row"]) for row in rows) == list(range(1797))
    assert len({row["class"] for row in rows}) == 10
    assert "rows per second" in capsys.readouterr().out.lower()
