"""The tables of CONTRIBUTING.md: their rows, and what each row may use."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def table(heading):
    """Return the allowed names for each path in the table below a heading."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = re.search(rf"^### {heading}\n(.*?)(?=^##)", text, re.DOTALL | re.MULTILINE).group(1)
    rows = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            path = cells[0].strip("`")
            assert path not in rows, f"{path} is listed twice"
            rows[path] = list(rows) if cells[-1] == "all above" else re.findall(r"`([^`]+)`", cells[-1])
    assert rows, heading
    return rows


def modules(heading, package):
    """Return the same by module name, for the modules of one package."""

    def name(path):
        return path.removeprefix(f"src/{package}/").removesuffix(".pyi").removesuffix(".py")

    return {name(path): {name(other) for other in others} for path, others in table(heading).items()}
