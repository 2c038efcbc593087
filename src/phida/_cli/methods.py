"""The method of a model, and its parameters."""

from __future__ import annotations

from typing import Any

import typer

from phida._cli.options import option_name
from phida._model import METHODS, PLUS, PUBLISHED, Method, Settings
from phida._pipeline import Pipeline

#: The methods that a user can choose.
CHOICES = {method.name: method for method in METHODS if method in (PLUS, PUBLISHED)}


def new_model(name: str | None, given: dict[str, Any]) -> Pipeline:
    """Return a new model: PHIDA+, unless another method is named."""
    method = _method(name)
    return Pipeline(method.settings(_values(method, given)))


def check_begun(settings: Settings, name: str | None, given: dict[str, Any]) -> None:
    """Refuse options that contradict those the model was started with."""
    if name is not None and _method(name) != settings.method:
        raise typer.BadParameter(f"the model was started with --method {settings.method.name}, which cannot change.")
    for parameter, value in _values(settings.method, given).items():
        held = settings.values[parameter]
        if value != held:
            raise typer.BadParameter(f"the model was started with {parameter} {held}, which cannot change.")


def counted(counts: dict[str, int]) -> str:
    """Format counts as text, with the right plurals: ``1 cluster, 40 nodes``."""
    return ", ".join(f"{count:,} {name[:-1] if count == 1 else name}" for name, count in counts.items())


def _method(name: str | None) -> Method:
    if name is not None and name not in CHOICES:
        raise typer.BadParameter(f"--method takes {' or '.join(CHOICES)}, not {name!r}.")
    return PLUS if name is None else CHOICES[name]


def _values(method: Method, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that are given, after a check of their names."""
    found = {name: value for name, value in given.items() if value is not None}
    if other := [name for name in found if name not in method.parameters]:
        raise typer.BadParameter(
            f"{option_name(other[0])} is an option of PHIDA+; leave it out with --method {method.name}."
        )
    for name, value in found.items():
        if choices := method.parameters[name].choices:
            if value not in (*choices, "none"):
                raise typer.BadParameter(f"{option_name(name)} takes {', '.join(choices)} or none, not {value!r}.")
            found[name] = None if value == "none" else value
        elif not method.parameters[name].accepts(value):
            allowed = method.parameters[name].allowed.removeprefix("None or ")
            raise typer.BadParameter(f"{option_name(name)} takes {allowed}, not {value:g}.")
    return found
