"""Who may import whom, where import-linter cannot look: the compiled module, examples and tools."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = sorted((ROOT / "src" / "phida").rglob("*.py"))
BENCHMARK = sorted((ROOT / "src" / "phida_bench").rglob("*.py"))


def imports(path):
    """Pairs (module, name) that a file imports; the name is None for a plain import."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def roots(path):
    return {module.split(".")[0] for module, _ in imports(path)}


def test_modules_take_nothing_but_the_native_core_from_the_package_itself():
    """import-linter looks away from imports of ``phida``, because the compiled module looks like one."""
    modules = {path.stem for path in PACKAGE} | {path.parent.name for path in PACKAGE}
    # The command line shows the version.
    for path in PACKAGE:
        allowed = modules | {"_core"} | ({"__version__"} if path.name == "options.py" else set())
        assert {name for module, name in imports(path) if module == "phida"} <= allowed, path.name


def test_the_library_does_without_the_benchmark():
    assert len(PACKAGE) > 50 and len(BENCHMARK) > 50
    for path in PACKAGE:
        assert "phida_bench" not in roots(path), path


def test_a_learner_of_the_native_core_is_built_only_where_a_method_needs_its_switches():
    users = {path.stem for path in BENCHMARK if ("phida", "_core") in set(imports(path))}
    assert users == {"mapping", "phida"}


def test_one_module_makes_learners_and_gives_the_rule_of_a_reading():
    for path in PACKAGE:
        if path.name != "_model.py":
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"_core\.Learner(\(|\.__new__)|\blearner\.(map_by|reading)\(", text), path.name


def test_records_do_not_know_the_native_core():
    assert "phida" not in roots(ROOT / "src" / "phida" / "records.py")


def test_pictures_read_records_and_never_the_native_core():
    leaves = [ROOT / "src" / "phida" / name for name in ("answers/profile.py", "projection.py")]
    for path in leaves + [p for p in PACKAGE if p.parent.name in ("plots", "report")]:
        assert ("phida", "_core") not in set(imports(path)), path
    assert "phida" not in roots(ROOT / "src" / "phida" / "projection.py")


def test_nothing_imports_the_leaves():
    for folder in ("src", "tests"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not roots(path) & {"examples", "perf", "studies", "tools"}, path
