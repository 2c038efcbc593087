"""Small HTML tables for notebooks. They load nothing, and all text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_CELL = "padding: 0.15em 0.8em 0.15em 0; text-align: {}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str = "", more: str = "") -> str:
    """Return a table, with lines above and below it; columns of numbers are aligned to the right."""
    numeric = [all(_is_number(cell) for cell in column) for column in zip(*rows, strict=True)] or [False] * len(head)
    align = [_CELL.format("right" if right else "left") for right in numeric]

    def line(tag: str, cells: Sequence[str]) -> str:
        made = (f'<{tag} style="{look}">{escape(cell)}</{tag}>' for cell, look in zip(cells, align, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    parts = [f"<p>{escape(caption)}</p>"] if caption else []
    parts.append('<table style="border-collapse: collapse">')
    parts += [f"<thead>{line('th', head)}</thead><tbody>", *(line("td", row) for row in rows), "</tbody></table>"]
    parts += [f"<p>{escape(more)}</p>"] if more else []
    return "\n".join(parts)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "").removesuffix("%").strip() or "0")
    except ValueError:
        return False
    return True
