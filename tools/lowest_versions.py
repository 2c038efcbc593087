"""Print the lowest version that pyproject.toml allows of each dependency, as constraints for pip.

``python tools/lowest_versions.py dependencies extra:serve group:test``
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(\[[^]]*\])?(>=|==)(?P<version>[0-9][0-9.]*?)(\.\*)?(,<[0-9.]+)?")


def requirements(project: dict[str, Any], part: str) -> Iterator[str]:
    """Return requirements of ``dependencies``, of an extra or of a group, without phida itself."""
    kind, _, name = part.partition(":")
    if kind == "dependencies":
        found = project["project"]["dependencies"]
    elif kind == "extra":
        found = project["project"]["optional-dependencies"][name]
    else:
        found = project["dependency-groups"][name]
    for requirement in found:
        if isinstance(requirement, dict):
            yield from requirements(project, f"group:{requirement['include-group']}")
        elif not requirement.startswith("phida["):
            yield requirement


def lowest(requirement: str) -> tuple[str, str]:
    """Return name and lowest version of a requirement."""
    match = _REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise SystemExit(f"{requirement!r} has no lower bound; write it as name>=version.")
    return match["name"], match["version"]


def main(parts: list[str]) -> None:
    """Print one constraint per package; a package with two lower bounds is an error."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    versions: dict[str, str] = {}
    for part in parts:
        for name, version in map(lowest, requirements(project, part)):
            if versions.setdefault(name, version) != version:
                raise SystemExit(f"{name} has two lower bounds, {versions[name]} and {version}; give it one.")
    for name, version in versions.items():
        print(f"{name}=={version}")


if __name__ == "__main__":
    main(sys.argv[1:])
