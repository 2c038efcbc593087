"""The method of a model, and the level at which its clusters are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from phida._model import LEVELS
from phida.streams.model import Method, StreamModel

if TYPE_CHECKING:
    from phida._estimator import Estimator

METHODS = ("phida+", "phida")


def method_of(found: StreamModel | Estimator) -> str:
    """The name of a model's method."""
    return METHODS[0] if _is_plus(found) else METHODS[1]


def new_model(
    method: str | None, level: str | None = None, max_nodes: int | None = None, half_life: float | None = None
) -> StreamModel:
    """Return a new model: PHIDA+, unless another method is given."""
    _check_names(method, level)
    if method == "phida":
        _refuse_options(level=level, max_nodes=max_nodes, half_life=half_life)
        return StreamModel(Method(plus=False), None)
    return StreamModel(Method(True, level or LEVELS[0], max_nodes, half_life), None)


def check_begun(model: StreamModel, method: str | None, max_nodes: int | None, half_life: float | None) -> None:
    """Refuse options that contradict those the model was started with."""
    _check_names(method, None)
    begun_with = method_of(model)
    if method not in (None, begun_with):
        raise typer.BadParameter(f"the model was started with --method {begun_with}, which cannot change.")
    wanted = {"max_nodes": max_nodes, "half_life": half_life}
    if not model.method.plus:
        _refuse_options(**wanted)
        return
    for name, value in wanted.items():
        held = getattr(model.method, name)
        if value is not None and value != held:
            raise typer.BadParameter(f"the model was started with {name} {held}, which cannot change.")


def set_level(found: StreamModel | Estimator, level: str | None) -> None:
    """Set the level of a model, if one is given."""
    _check_names(None, level)
    if level is None:
        return
    if not _is_plus(found):
        _refuse_options(level=level)
    if isinstance(found, StreamModel):
        found.set_level(level)
    else:
        found.set_params(level=level)


def read_at(found: StreamModel | Estimator, level: str | None) -> None:
    """Set the level of a model, if one is given, and compute cluster ids for that level.

    The model must not be saved afterwards: these ids are the ones it would have if it learned on at that level.
    """
    before = level_of(found)
    set_level(found, level)
    if level_of(found) != before:
        found.refresh()


def level_of(found: StreamModel | Estimator) -> str | None:
    """The level at which a model is read; None where its method has no levels."""
    if not _is_plus(found):
        return None
    level: Any = found.method.level if isinstance(found, StreamModel) else found.get_params()["level"]
    return str(level)


def _is_plus(found: StreamModel | Estimator) -> bool:
    return found.method.plus if isinstance(found, StreamModel) else bool(found._kind["plus"])


def counted(counts: dict[str, int]) -> str:
    """Format counts as text, with the right plurals: ``5 groups, 1 part, 40 nodes``."""
    return ", ".join(f"{count:,} {name[:-1] if count == 1 else name}" for name, count in counts.items())


def _check_names(method: str | None, level: str | None) -> None:
    if method is not None and method not in METHODS:
        raise typer.BadParameter(f"--method takes {' or '.join(METHODS)}, not {method!r}.")
    if level is not None and level not in LEVELS:
        raise typer.BadParameter(f"--level takes {' or '.join(LEVELS)}, not {level!r}.")


def _refuse_options(**options: object) -> None:
    """Refuse options that only PHIDA+ has, for a model of the published method."""
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(
                f"--{name.replace('_', '-')} is an option of PHIDA+; leave it out with --method phida."
            )
