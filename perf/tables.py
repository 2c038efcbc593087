"""Tables of ``docs/performance.md`` written by measurements, each between two comments with its name."""

from __future__ import annotations

import datetime
import platform
import re
from pathlib import Path

from phida._core import simd_level

PAGE = Path(__file__).resolve().parents[1] / "docs" / "performance.md"


def markdown(lines: list[list[str]]) -> str:
    """Format a table whose first line is its head."""
    rows = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def processor() -> str:
    try:
        names = re.findall(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        names = []
    return names[0] if names else platform.machine()


def put(name: str, table: str) -> None:
    """Replace the table of that name, with a line on date and processor."""
    first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
    page = PAGE.read_text(encoding="utf-8")
    if page.count(first) != 1 or page.count(last) != 1:
        raise SystemExit(f"{PAGE.name} has no place for the table {name!r}: put {first} and {last} there")
    before, rest = page.split(first)
    after = rest.split(last)[1]
    where = f"{datetime.date.today()}, {processor()}, {simd_level()}."
    PAGE.write_text(f"{before}{first}\n{where}\n\n{table}\n{last}{after}", encoding="utf-8")
