"""The rooms of core/ and who may see whom, read from the #include lines."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "core"

# Every room sees itself as well. simd is one of the two at the bottom: plain pointers, no word of ours.
MAY_SEE = {
    "simd": set(),
    "numeric": set(),
    "metric": {"numeric", "simd"},
    "nodes": {"metric", "numeric", "simd"},
    "topology": {"metric", "numeric", "simd"},
    "mapping": {"metric", "numeric", "simd", "topology"},
    "systems": {"metric", "nodes", "numeric", "simd"},  # and nobody sees them
    "assignment": {"metric", "numeric", "simd", "topology", "mapping"},
    "lineage": {"metric", "nodes", "numeric", "simd"},
    "distributed": {"metric", "nodes", "numeric", "simd"},
}
#: Files at the top of core/, where nodes and topology meet.
TOP = {"refresh", "node_mapping", "reading", "learner", "learner_fold", "shared_learner"}

SOURCES = sorted(path for path in CORE.rglob("*") if path.suffix in (".hpp", ".cpp"))


def included(path):
    """What a file includes of ours, as paths from core/."""
    return re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE)


def room(path):
    """The folder below core/, or "" for the files at its top."""
    return path.parts[0] if len(path.parts) > 1 else ""


def test_every_room_has_rules():
    assert {room(path.relative_to(CORE)) for path in SOURCES} == MAY_SEE.keys() | {""}
    assert {path.stem for path in SOURCES if room(path.relative_to(CORE)) == ""} == TOP


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_includes(path):
    own = room(path.relative_to(CORE))
    for name in included(path):
        assert (CORE / name).is_file(), f"{name} is not a path from core/"
        seen = room(Path(name))
        if own:
            assert seen == own or seen in MAY_SEE[own], f"{own} may not include {name}"


def test_nodes_and_topology_meet_at_the_top_alone():
    """Not even through a third header: follow every include to its end."""

    def reach(path, visited):
        for name in included(path):
            if name not in visited:
                visited.add(name)
                reach(CORE / name, visited)
        return {room(Path(name)) for name in visited}

    for path in SOURCES:
        own = room(path.relative_to(CORE))
        if own:
            assert not {"nodes", "topology"} <= reach(path, set()) | {own}, path


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(CORE)))
def test_the_core_has_never_heard_of_python(path):
    text = path.read_text().lower()
    assert not re.search(r"python|nanobind|numpy|\bpy[A-Z_]", text, re.IGNORECASE)


@pytest.mark.parametrize("path", [p for p in SOURCES if p.parent.name == "simd"], ids=lambda path: path.name)
def test_kernels_use_no_standard_library_templates(path):
    """Their instantiations would be shared symbols, and wide instructions could leak into narrow code."""
    if path.stem == "dispatch":
        return
    headers = set(re.findall(r"#\s*include\s+<([^>]+)>", path.read_text()))
    allowed = {"cstddef", "cstdint", "immintrin.h", "emmintrin.h", "arm_neon.h"}
    assert headers <= allowed
