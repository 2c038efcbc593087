"""The method of a model, and the level at which its clusters are read."""

from __future__ import annotations

import typer

from phida._estimator import Estimator
from phida._model import LEVELS
from phida.estimators import PHIDA, PHIDAPlus

METHODS: dict[str, type[PHIDA] | type[PHIDAPlus]] = {"phida+": PHIDAPlus, "phida": PHIDA}


def method_of(estimator: Estimator) -> str:
    """The name of an estimator's method."""
    return next(name for name, kind in METHODS.items() if isinstance(estimator, kind))


def new_estimator(
    method: str | None, level: str | None = None, max_nodes: int | None = None, half_life: float | None = None
) -> Estimator:
    """An estimator that is to learn rows: of PHIDA+, unless another method is asked for."""
    _check_names(method, level)
    if method == "phida":
        _refuse_options(level=level, max_nodes=max_nodes, half_life=half_life)
        return PHIDA(compute_labels=False)
    return PHIDAPlus(level=level or LEVELS[0], compute_labels=False, max_nodes=max_nodes, half_life=half_life)


def check_begun(estimator: Estimator, method: str | None, max_nodes: int | None, half_life: float | None) -> None:
    """Options may repeat what a model was begun with, but not contradict it."""
    _check_names(method, None)
    begun_with = method_of(estimator)
    if method not in (None, begun_with):
        raise typer.BadParameter(f"the model was begun with --method {begun_with}; it cannot change on the way.")
    wanted = {"max_nodes": max_nodes, "half_life": half_life}
    if not isinstance(estimator, PHIDAPlus):
        _refuse_options(**wanted)
        return
    for name, value in wanted.items():
        held = getattr(estimator, name)
        if value is not None and value != held:
            raise typer.BadParameter(f"the model was begun with {name} {held}; it cannot change on the way.")


def set_level(estimator: Estimator, level: str | None) -> None:
    """Read a model at the level that is asked for, if any; that can change at any time."""
    _check_names(None, level)
    if level is None:
        return
    if not isinstance(estimator, PHIDAPlus):
        _refuse_options(level=level)
    estimator.set_params(level=level)


def level_of(estimator: Estimator) -> str | None:
    """The level at which a model is read; None where its method has no levels."""
    return estimator.level if isinstance(estimator, PHIDAPlus) else None


def counted(counts: dict[str, int]) -> str:
    """How many of each, in words: ``5 groups, 23 parts, 40 nodes``."""
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
                f"--{name.replace('_', '-')} is an option of PHIDA+; the published method (--method phida) has none."
            )
