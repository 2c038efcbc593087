"""Rendering of the report as one self-contained HTML file."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from importlib.resources import files

from phida._report.contents import Contents
from phida.plots.gallery import Picture

_NOTES = {
    "nodes": "Every mark is a learned node, on the plane in which the nodes vary most. Lines join nodes that the model"
    " connects.",
    "profile": "How far each cluster's centre lies from the mean of all rows learned.",
    "lineage": "When each id began, split, merged and ended.",
    "history": "The model at each refresh.",
    "persistence": "Peaks of support (PHIDA) or of density (PHIDA+); those that last are kept apart.",
    "hierarchy": "How components (PHIDA) or nodes (PHIDA+) merge into clusters, and where that is cut.",
}


def html(contents: Contents, light: Iterable[Picture], dark: Iterable[Picture]) -> str:
    """Render the page, with SVG pictures for a light and for a dark background."""
    try:
        from jinja2 import Environment
    except ModuleNotFoundError as error:
        raise ImportError('phida report needs jinja2: pip install "phida[plot]"') from error
    source = files(__package__).joinpath("page.html.j2").read_text("utf-8")
    template = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(source)
    pictures = [
        {
            "name": one.name,
            "title": one.title,
            "note": _NOTES[one.name],
            "light": _inline(one.data),
            "dark": _inline(other.data),
        }
        for one, other in zip(light, dark, strict=True)
    ]
    return template.render(page=contents, pictures=pictures)


def _inline(svg: bytes) -> str:
    """Return a data address of a picture: scripts in an image do not run."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
