"""Versions of Python that wheels are built for, and the actions of the workflows."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_wheels_are_built_for_the_promised_versions():
    promised = re.findall(r":: 3\.(\d+)", "\n".join(SETTINGS["project"]["classifiers"]))
    free_threaded = ["cp314t-*", "cp315t-*"]
    assert SETTINGS["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in promised] + free_threaded
    assert SETTINGS["project"]["requires-python"] == f">=3.{promised[0]}"


def test_build_group_equals_the_build_requirements():
    assert set(SETTINGS["build-system"]["requires"]) <= set(SETTINGS["dependency-groups"]["build"])


def test_actions_are_pinned_by_commit():
    """A tag or a branch can be moved to other code."""
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action, ref in re.findall(r"uses: ([^\s@./][^\s@]*)@(\S+)", path.read_text(encoding="utf-8")):
            assert re.fullmatch("[0-9a-f]{40}", ref), f"{path.name}: {action}@{ref}"


def test_the_builder_of_wheels_is_pinned_by_digest():
    text = (ROOT / ".github" / "workflows" / "wheels.yml").read_text(encoding="utf-8")
    version = re.search(r'"cibuildwheel==([\d.]+) --hash=sha256:[0-9a-f]{64}"', text)[1]
    assert set(re.findall(r"cibuildwheel==([\d.]+)", text)) == {version} and "--require-hashes" in text
