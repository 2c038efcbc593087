"""Render a report as one HTML page, as Markdown with SVG diagrams, and its tables as CSV and LaTeX."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import jinja2
import matplotlib as mpl
import pandas as pd
from PIL import Image

from phida_bench.report.document import Document, Picture, Table


def write(document: Document, cells: pd.DataFrame, out: Path) -> Path:
    """Write a report in every format, and all cells as one table; return the path of the page."""
    for folder in ("tables", "diagrams"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    for section in document.sections:
        for table in section.tables:
            base = out / "tables" / table.name
            base.with_suffix(".csv").write_text(table.cells.to_csv(index=False), "utf-8")
            base.with_suffix(".tex").write_text(latex(table), "utf-8")
        for picture in section.pictures:
            base = out / "diagrams" / picture.name
            if picture.raster:
                (out / _file(picture)).parent.mkdir(exist_ok=True)
                (out / _file(picture)).write_bytes(pixels(picture))
                continue
            base.with_suffix(".svg").write_text(svg(picture), "utf-8")
            picture.figure.savefig(base.with_suffix(".png"), dpi=140, metadata={"Software": None})
    cells.to_csv(out / "cells.csv", index=False, float_format="%.6g")
    (out / "index.md").write_text(markdown(document), "utf-8")
    page = out / "index.html"
    page.write_text(html(document), "utf-8")
    return page


def write_markdown(document: Document, out: Path, more: str) -> None:
    """Write a report as Markdown with SVG diagrams only, and ``more`` at its end."""
    (out / "diagrams").mkdir(parents=True, exist_ok=True)
    for picture in (picture for section in document.sections for picture in section.pictures):
        (out / _file(picture)).write_text(svg(picture), "utf-8")
    (out / "index.md").write_text(f"{markdown(document)}\n{more}", "utf-8")


def html(document: Document) -> str:
    """Return one HTML page that needs no other file."""
    source = files(__package__).joinpath("page.html.j2").read_text("utf-8")
    template = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    return template.render(document=document, svg=svg, pixels=_embedded)


def markdown(document: Document) -> str:
    """Return the report as Markdown; diagrams are linked."""
    return "\n".join(_markdown_lines(document)) + "\n"


def _markdown_lines(document: Document) -> Iterator[str]:
    yield f"# {document.title}"
    yield ""
    yield from (f"- {name}: {value}" for name, value in document.facts.items())
    for section in document.sections:
        yield from ("", f"## {section.title}")
        for picture in section.pictures:
            yield from ("", f"![{picture.title}]({_file(picture)})")
            if picture.note:
                yield from ("", picture.note)
        for table in section.tables:
            yield from ("", f"### {table.title}", "", *markdown_table(table.cells))
            if table.note:
                yield from ("", table.note)


def markdown_table(cells: pd.DataFrame) -> Iterator[str]:
    """Return the lines of a table in Markdown."""
    yield "| " + " | ".join(cells.columns) + " |"
    yield "|" + " --- |" * len(cells.columns)
    for row in cells.itertuples(index=False):
        yield "| " + " | ".join(str(value) for value in row) + " |"


def latex(table: Table) -> str:
    """Return a LaTeX table for the package booktabs."""
    body = table.cells.style.hide(axis="index").format(escape="latex")
    columns = "l" + "r" * (len(table.cells.columns) - 1)
    text: str = body.format_index(escape="latex", axis=1).to_latex(
        caption=table.title, label=f"tab:{table.name}", hrules=True, column_format=columns
    )
    return text


def _file(picture: Picture) -> str:
    """Return the path of a picture for the page in Markdown."""
    return f"pictures/{picture.name}.png" if picture.raster else f"diagrams/{picture.name}.svg"


def pixels(picture: Picture) -> bytes:
    """Return a picture as PNG with few colours: the same bytes for the same points."""
    drawn, small = io.BytesIO(), io.BytesIO()
    picture.figure.savefig(drawn, format="png", dpi=90, metadata={"Software": None})
    image = Image.open(drawn).convert("RGB").quantize(40, dither=Image.Dither.NONE)
    image.save(small, "png", optimize=True)
    return small.getvalue()


def _embedded(picture: Picture) -> str:
    return "data:image/png;base64," + base64.b64encode(pixels(picture)).decode()


def svg(picture: Picture) -> str:
    """Return a diagram as SVG: the same text for the same numbers.

    Text stays text, which is smaller than outlines. matplotlib reads these settings while it writes.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "phida", "font.sans-serif": ["DejaVu Sans"]}):
        picture.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
