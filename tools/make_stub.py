"""Write the stub of a native module: ``make_stub.py <module> [file]``, by default to standard output.

nanobind's stub generator does most of the work. This script adds the types inside returned dictionaries and arrays, and
short names for array arguments.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

FLOATS, INTS = "NDArray[numpy.float64]", "NDArray[numpy.int64]"

# Functions that return one array, which nanobind types as object.
ARRAYS = {
    "assign": INTS,
    "assign_ids": INTS,
    "scores": FLOATS,
    "cluster_centers": FLOATS,
    "cluster_ids": INTS,
    "margins": FLOATS,
    "usual_margins": FLOATS,
    "merge_heights": FLOATS,
    "feature_weights": FLOATS,
    "positions": FLOATS,
    "edges": INTS,
}

# Arguments: arrays of this type, in C order, without conversion.
ALIASES = {
    "Matrix": ("numpy.float64", "None, None"),
    "Vector": ("numpy.float64", "None,"),
    "Indices": ("numpy.int32", "None,"),
    "Longs": ("numpy.int64", "None,"),
}

GENERICS = {"dict": "dict[str, Any]", "tuple": "tuple[Any, ...]", "list": "list[str]"}


def generate(module: str) -> str:
    """Run nanobind's generator."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stub.pyi")
        command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", module, "-o", str(path)]
        subprocess.run(command, check=True)
        return path.read_text(encoding="utf-8")


def refine(stub: str) -> str:
    """Add the types that the generator does not know."""
    for alias, (dtype, shape) in ALIASES.items():
        taken = rf"Annotated\[NDArray\[{re.escape(dtype)}\], dict\(shape=\({re.escape(shape)}\)[^)]*\)\]"
        stub = re.sub(taken, alias, stub)
    for name, array in ARRAYS.items():
        stub = re.sub(rf"(def {name}\(.*\) -> )object:", rf"\1{array}:", stub)
    stub = stub.replace("others: list,", "others: list[PlusLearner],")
    for plain, full in GENERICS.items():
        stub = re.sub(rf"(?<=-> ){plain}(?=:)|(?<=: ){plain}(?=, /)", full, stub)
    stub = stub.replace("updates: list)", "updates: list[dict[str, Any]])")
    used = ((alias, dtype) for alias, (dtype, _) in ALIASES.items() if re.search(rf": {alias}\b", stub))
    names = "\n".join(f"{alias} = NDArray[{dtype}]" for alias, dtype in used)
    stub = stub.replace("from typing import Annotated\n", "from typing import Any\n")
    return stub.replace("import NDArray\n", f"import NDArray\n\n{names}\n", 1)


if __name__ == "__main__":
    text = refine(generate(sys.argv[1]))
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
