"""The method of a model, and its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from phida._streams.model import Method, StreamModel

if TYPE_CHECKING:
    from phida._estimator import Estimator

METHODS = ("phida+", "phida")
SCALES = ("auto", "standard", "none")


def method_of(found: StreamModel | Estimator) -> str:
    """Return the name of a model's method."""
    plus = found.method.plus if isinstance(found, StreamModel) else found._kind["plus"]
    return METHODS[0] if plus else METHODS[1]


def new_model(
    method: str | None, max_nodes: int | None = None, half_life: float | None = None, scale: str | None = None
) -> StreamModel:
    """Return a new model: PHIDA+, unless another method is given."""
    given = _given(method, max_nodes, half_life, scale)
    return StreamModel(Method(method != "phida", **given), None)


def check_begun(
    model: StreamModel, method: str | None, max_nodes: int | None, half_life: float | None, scale: str | None
) -> None:
    """Refuse options that contradict those the model was started with."""
    begun_with = method_of(model)
    if method not in (None, begun_with):
        raise typer.BadParameter(f"the model was started with --method {begun_with}, which cannot change.")
    for name, value in _given(begun_with, max_nodes, half_life, scale).items():
        held = getattr(model.method, name)
        if value != held:
            raise typer.BadParameter(f"the model was started with {name} {held}, which cannot change.")


def counted(counts: dict[str, int]) -> str:
    """Format counts as text, with the right plurals: ``1 cluster, 40 nodes``."""
    return ", ".join(f"{count:,} {name[:-1] if count == 1 else name}" for name, count in counts.items())


def _given(method: str | None, max_nodes: int | None, half_life: float | None, scale: str | None) -> dict[str, Any]:
    """Return the given parameters after a check of their names. PHIDA has none."""
    if method is not None and method not in METHODS:
        raise typer.BadParameter(f"--method takes {' or '.join(METHODS)}, not {method!r}.")
    if scale is not None and scale not in SCALES:
        raise typer.BadParameter(f"--scale takes {', '.join(SCALES[:-1])} or {SCALES[-1]}, not {scale!r}.")
    options = {"max_nodes": max_nodes, "half_life": half_life, "scale": scale}
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if method == "phida" and given:
        option = next(iter(given)).replace("_", "-")
        raise typer.BadParameter(f"--{option} is an option of PHIDA+; leave it out with --method phida.")
    return given | ({"scale": None} if scale == "none" else {})
