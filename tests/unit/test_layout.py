"""Layers of the core, the bindings and the tests equal those of CONTRIBUTING.md, and includes follow them."""

import re

import pytest
from contributing import ROOT, table

CORE = ROOT / "core"

#: Allowed includes per layer.
MAY_USE = {path.removeprefix("core/"): set(names) for path, names in table("Core").items()}
#: The layers that may include both nodes and topology.
MEETING = {"reading", "learning", "state"}

SOURCES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp"))
BINDINGS = sorted(path for path in (ROOT / "bindings").rglob("*") if path.suffix in (".hpp", ".cpp"))


def included(path):
    """Return the paths that a file includes with quotes."""
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)


def layer(path):
    """Return the directory below core/."""
    return path.relative_to(CORE).parts[0]


def directories(parent):
    below = (path for path in (ROOT / parent).iterdir() if path.is_dir())
    return {f"{parent}/{path.name}" for path in below if not path.name.startswith(("_", "."))}


def test_every_directory_has_a_row():
    assert table("Core").keys() == directories("core")
    assert table("Bindings").keys() == {"bindings"}
    assert table("Tests").keys() == directories("tests")
    assert all(path.parent != CORE for path in SOURCES)


def test_other_directories_exist():
    for path in table("Other directories"):
        assert (ROOT / path).is_dir() or path.startswith("."), path  # an sdist has no .github


def test_layers_use_only_layers_above_them():
    known = set()
    for name, used in MAY_USE.items():
        assert used <= known, f"{name} may use {used - known}, which come later in the table"
        known.add(name)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_includes_of_the_core_follow_the_table(path):
    for name in included(path):
        assert (CORE / name).is_file(), f"{name} is not a path from core/"
        assert layer(CORE / name) in MAY_USE[layer(path)] | {layer(path)}, f"{layer(path)} may not include {name}"


@pytest.mark.parametrize("path", BINDINGS, ids=lambda path: path.name)
def test_includes_of_bindings_follow_the_table(path):
    own = str(path.parent.relative_to(ROOT))
    for name in included(path):
        beside = (path.parent / name).resolve()
        found = beside if beside.is_file() else CORE / name
        assert found.is_file(), f"{name} is neither beside {path.name} nor in core/"
        seen = str(found.parent.relative_to(ROOT))
        assert seen in {own, *table("Bindings")[own]}, f"{own} may not include {name}"


def test_only_few_layers_include_both_nodes_and_topology():
    """Includes are followed to their end, through any header."""

    def reach(path, visited):
        for name in included(path):
            if name not in visited:
                visited.add(name)
                reach(CORE / name, visited)
        return {layer(CORE / name) for name in visited}

    meeting = {layer(path) for path in SOURCES if {"nodes", "topology"} <= reach(path, set()) | {layer(path)}}
    assert meeting == MEETING


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_core_does_not_include_python(path):
    text = path.read_text().lower()
    assert not re.search(r"python|nanobind|numpy|\bpy[A-Z_]", text, re.IGNORECASE)


@pytest.mark.parametrize("path", [p for p in SOURCES if p.parent.name == "simd"], ids=lambda path: path.name)
def test_kernels_use_no_standard_library_templates(path):
    """Their instantiations would be shared symbols, so narrow code could call wide instructions."""
    if path.stem == "dispatch":
        return
    headers = set(re.findall(r"#\s*include\s+<([^>]+)>", path.read_text()))
    allowed = {"cstddef", "cstdint", "immintrin.h", "emmintrin.h", "arm_neon.h"}
    assert headers <= allowed
