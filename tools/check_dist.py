"""Check the contents of an sdist and a wheel: check_dist.py <sdist> <wheel>

The sdist contains the tracked files, except those that pyproject.toml leaves out, and nothing built. The wheel is
small, depends on four packages, and contains only the library. The first error ends the check with a sentence.
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import BytesParser
from pathlib import Path

MEGABYTE = 1_000_000
MOST_WHEEL, MOST_SDIST = 2 * MEGABYTE, 2 * MEGABYTE
DEPENDENCIES = {"joblib", "numpy", "scikit-learn", "scipy"}
NATIVE = ["phida/_core"]


def main() -> None:
    """Check both files, and print their sizes."""
    sdist, wheel = Path(sys.argv[1]), Path(sys.argv[2])
    check_sdist(sdist)
    check_wheel(wheel)
    for path in (sdist, wheel):
        print(f"{path.name}: {path.stat().st_size / MEGABYTE:.2f} MB")


def check_sdist(path: Path) -> None:
    """Compare the sdist's files with those of the clone."""
    size(path, MOST_SDIST)
    with tarfile.open(path) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    known = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()
    settings = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))
    left_out = settings["tool"]["scikit-build"]["sdist"]["exclude"]
    wanted = {name for name in known if Path(name).is_file() and not any(matches(name, rule) for rule in left_out)}
    if more := inside - wanted - {"PKG-INFO"}:
        sys.exit(f"{path.name} holds what git does not know or pyproject.toml leaves out: {some(more)}.")
    if less := wanted - inside:
        sys.exit(f"{path.name} lacks {some(less)}.")


def matches(name: str, rule: str) -> bool:
    """Return whether a rule of sdist.exclude matches the file or a folder of it."""
    parts = name.split("/")
    if "/" not in rule:
        return any(fnmatch.fnmatch(part, rule) for part in parts)
    begins = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
    return any(fnmatch.fnmatch(begin, rule.replace("**/", "*")) for begin in begins)


def check_wheel(path: Path) -> None:
    """Check size, dependencies and contents."""
    size(path, MOST_WHEEL)
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        fields = BytesParser().parsebytes(archive.read(metadata))
    needed = [line for line in fields.get_all("Requires-Dist", []) if "extra ==" not in line]
    if (found := {re.split(r"[^\w.-]", line)[0] for line in needed}) != DEPENDENCIES:
        sys.exit(f"{path.name} depends on {sorted(found)}, not on {sorted(DEPENDENCIES)}.")
    information = metadata.split("/")[0]
    if strange := {name for name in names if name.split("/")[0] not in ("phida", information)}:
        sys.exit(f"{path.name} holds more than the package: {some(strange)}.")
    native = [name.split(".")[0] for name in names if name.endswith((".so", ".pyd"))]
    if native != NATIVE:
        sys.exit(f"{path.name} holds the native modules {native}, not {NATIVE}.")


def size(path: Path, most: int) -> None:
    """Exit if a file is too large."""
    if path.stat().st_size >= most:
        sys.exit(f"{path.name} has {path.stat().st_size:,} bytes; {most:,} is too many.")


def some(names: set[str]) -> str:
    """Format the first few names."""
    return ", ".join(sorted(names)[:10])


if __name__ == "__main__":
    main()
