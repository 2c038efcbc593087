"""Rules about sources that neither import-linter nor CMake can check, since they concern the native module or text."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "src" / "phida").rglob("*.py"))
NATIVE = re.compile(r"^\s*(from phida import .*\b_core\b|import phida\._core|from phida\._core import)", re.MULTILINE)
RECORDS = [
    path
    for path in PACKAGE
    if path.parent.name in ("plots", "_report") or path.name in ("records.py", "profile.py", "projection.py")
]
KERNELS = sorted(path for path in (ROOT / "core" / "simd").iterdir() if path.stem != "dispatch")


def test_one_module_creates_and_reads_learners():
    for path in PACKAGE:
        if path.name != "_model.py":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"_core\.(Plus)?Learner(\(|\.__new__)|\blearner\.reading\(", text), path.name


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name)
def test_records_and_plots_do_not_import_the_native_core(path):
    assert not NATIVE.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.name)
def test_kernels_use_no_standard_library_templates(path):
    """Their instantiations would be shared symbols, and wide instructions could leak into narrow code."""
    headers = set(re.findall(r"#\s*include\s+<([^>]+)>", path.read_text()))
    assert headers <= {"cstddef", "cstdint", "immintrin.h", "emmintrin.h", "arm_neon.h"}
