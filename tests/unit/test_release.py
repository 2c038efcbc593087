"""Tools of releases: changelog fragments, versions of Python, the check of sdist and wheel."""

import importlib.util
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_fragments_have_a_name_and_a_type():
    kinds = {kind["directory"] for kind in SETTINGS["tool"]["towncrier"]["type"]}
    for path in (ROOT / "changes").iterdir():
        if path.name not in SETTINGS["tool"]["towncrier"]["ignore"]:
            found = re.fullmatch(r"(?:\d+|\+[\w-]+)\.(\w+)\.md", path.name)
            assert found and found[1] in kinds, f"{path.name}: see changes/README.md"
            assert all(len(line) <= 120 for line in path.read_text(encoding="utf-8").splitlines())


def test_changelog_has_the_marker_for_releases():
    assert SETTINGS["tool"]["towncrier"]["start_string"] in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_wheels_are_built_for_the_promised_versions():
    promised = re.findall(r":: 3\.(\d+)", "\n".join(SETTINGS["project"]["classifiers"]))
    free_threaded = ["cp314t-*", "cp315t-*"]
    assert SETTINGS["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in promised] + free_threaded
    assert SETTINGS["project"]["requires-python"] == f">=3.{promised[0]}"


def test_build_group_equals_the_build_requirements():
    assert set(SETTINGS["build-system"]["requires"]) <= set(SETTINGS["dependency-groups"]["build"])


@pytest.fixture(scope="module")
def check_dist():
    spec = importlib.util.spec_from_file_location("check_dist", ROOT / "tools" / "check_dist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "rule", "left_out"),
    [
        (".ci/run", ".*", True),
        ("src/phida/py.typed", ".*", False),
        ("docs/plots/nodes.png", "docs/**/*.png", True),
        ("docs/plots.md", "docs/**/*.png", False),
        ("docs/benchmark/tables/a.csv", "docs/benchmark", True),
        ("docs/benchmarking.md", "docs/benchmark", False),
    ],
)
def test_files_left_out_of_the_sdist(check_dist, name, rule, left_out):
    assert check_dist.matches(name, rule) == left_out


NEEDS = ("joblib>=1.3", "numpy>=1.26", "scikit-learn>=1.6", "scipy>=1.11")


def wheel(folder, needs=NEEDS, more=()):
    path = folder / "phida-1.0-cp312-abi3-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        lines = [f"Requires-Dist: {need}" for need in (*needs, 'rich>=13; extra == "cli"')]
        archive.writestr("phida-1.0.dist-info/METADATA", "\n".join(["Name: phida", *lines]))
        for name in ("phida/__init__.py", "phida/_core.abi3.so", *more):
            archive.writestr(name, "")
    return path


def test_valid_wheel_passes(check_dist, tmp_path):
    check_dist.check_wheel(wheel(tmp_path))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"needs": ("numpy", "scikit-learn")}, "depends on"),
        ({"needs": (*NEEDS, "pandas")}, "depends on .*pandas"),
        ({"more": ("tests/test_a.py",)}, "more than the package: tests/test_a.py"),
        ({"more": ("phida_bench/__init__.py",)}, "more than the package: phida_bench/__init__.py"),
        ({"more": ("phida/_core.pyd",)}, "the native modules .*_core.*_core"),
    ],
)
def test_invalid_wheel_is_reported(check_dist, tmp_path, changes, said):
    with pytest.raises(SystemExit, match=said):
        check_dist.check_wheel(wheel(tmp_path, **changes))


def test_large_wheel_is_reported(check_dist, tmp_path, monkeypatch):
    monkeypatch.setattr(check_dist, "MOST_WHEEL", 100)
    with pytest.raises(SystemExit, match="too many"):
        check_dist.check_wheel(wheel(tmp_path))


def test_actions_are_pinned_by_commit():
    """A tag or a branch can be moved to other code. One action has no commit here yet; the list may only shrink."""
    by_tag = {"pypa/cibuildwheel"}
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action, ref in re.findall(r"uses: ([^\s@./][^\s@]*)@(\S+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch("[0-9a-f]{40}", ref) or action in by_tag, f"{path.name}: {action}@{ref}"
