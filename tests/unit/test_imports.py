"""Imports follow the tables of CONTRIBUTING.md, which import-linter's layers repeat."""

import ast
import re
import tomllib

import pytest
from contributing import ROOT, modules

#: Modules per package, with their allowed imports from the same package.
MAY_USE = {"phida": modules("Library", "phida")}
PACKAGE = sorted((ROOT / "src" / "phida").rglob("*.py"))


def imports(path):
    """Yield pairs (module, name) that a file imports; the name is None for a plain import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def roots(path):
    return {module.split(".")[0] for module, _ in imports(path)}


def module(path, package):
    """Return the module or subpackage of a package that a file belongs to."""
    return path.relative_to(ROOT / "src" / package).parts[0].removesuffix(".py")


def used(path, package):
    """Return the modules of a package that a file imports."""
    for name, member in imports(path):
        parts = name.split(".")
        if parts[0] == package:
            yield parts[1] if len(parts) > 1 else {"__version__": "_versions"}.get(member, member)


@pytest.mark.parametrize("package", MAY_USE)
def test_every_module_has_a_row(package):
    below = {
        path.name.split(".")[0]
        for path in (ROOT / "src" / package).iterdir()
        if path.suffix in (".py", ".pyi", "") and path.name != "__init__.py" and not path.name.startswith("__pycache__")
    }
    assert MAY_USE[package].keys() == below


@pytest.mark.parametrize("path", PACKAGE, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_imports_follow_the_table(path):
    package = path.relative_to(ROOT / "src").parts[0]
    own = module(path, package)
    if own != "__init__":  # which lists everything
        beyond = set(used(path, package)) - MAY_USE[package][own] - {own}
        assert not beyond, f"{package}.{own} may not import {beyond}"


@pytest.mark.parametrize("package", MAY_USE)
def test_modules_use_only_modules_above_them(package):
    known = set()
    for name, names in MAY_USE[package].items():
        assert names <= known, f"{name} may use {names - known}, which come later in the table"
        known.add(name)


@pytest.mark.parametrize("package", MAY_USE)
def test_layers_of_import_linter_agree_with_the_table(package):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (
        contract["layers"]
        for contract in contracts
        if contract["type"] == "layers" and contract["layers"][0].startswith(f"{package}.")
    )
    height = {name.removeprefix(f"{package}."): -i for i, layer in enumerate(layers) for name in layer.split(" | ")}
    # Compiled modules and data contain no imports.
    assert height.keys() == MAY_USE[package].keys() - {"_core"}
    for name, names in MAY_USE[package].items():
        for other in names & height.keys():
            assert height[other] < height[name], f"{name} may use {other} in CONTRIBUTING.md, but not in pyproject.toml"


def test_library_never_imports_the_benchmark():
    assert len(PACKAGE) > 50
    for path in PACKAGE:
        assert not roots(path) & {"phida_bench", "bench"}, path


def test_one_module_creates_and_reads_learners():
    for path in PACKAGE:
        if path.name != "_model.py":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"_core\.(Plus)?Learner(\(|\.__new__)|\blearner\.reading\(", text), path.name


def test_records_do_not_import_the_native_core():
    assert ("phida", "_core") not in set(imports(ROOT / "src" / "phida" / "records.py"))


def test_plots_do_not_import_the_native_core():
    leaves = [ROOT / "src" / "phida" / name for name in ("answers/profile.py", "projection.py")]
    for path in leaves + [p for p in PACKAGE if p.parent.name in ("plots", "_report")]:
        assert ("phida", "_core") not in set(imports(path)), path
    assert "phida" not in roots(ROOT / "src" / "phida" / "projection.py")


def test_leaves_are_never_imported():
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not roots(path) & {"examples", "perf", "phida_bench", "tools"}, path
