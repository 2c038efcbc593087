"""The compared methods. Each module here declares some; a new method is a new module with ``METHODS``.

A user's file with ``METHODS`` can be added for a run: see :func:`add`.
"""

from __future__ import annotations

import pkgutil
import runpy
from functools import cache
from importlib import import_module
from pathlib import Path

from phida_bench.methods.interface import ClassCounted, Declined, Method, System, Task

__all__ = ["ClassCounted", "Declined", "Method", "System", "Task", "add", "method", "methods"]


@cache
def methods() -> dict[str, Method]:
    """All methods by name, in the order of tables.

    Examples
    --------
    >>> from phida_bench.methods import methods
    >>> [name for name, method in methods().items() if method.group == "online"]
    ['GNG', 'SOINN+', 'DDVFA', 'CAEA', 'CAE', 'IDAT']
    """
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__))
    found = [m for name in modules for m in getattr(import_module(f"{__name__}.{name}"), "METHODS", ())]
    return {m.name: m for m in sorted(found, key=lambda m: m.order)}


def add(plugin: Path) -> list[str]:
    """Add the ``METHODS`` of a Python file; return their names.

    Parameters
    ----------
    plugin : path-like

    Returns
    -------
    names : list of str
    """
    try:
        found = runpy.run_path(str(plugin))["METHODS"]
    except (OSError, KeyError) as error:
        raise ValueError(f"{plugin} is not a Python file with METHODS in it ({error!r}).") from error
    methods().update({m.name: m for m in found})
    return [m.name for m in found]


def method(name: str) -> Method:
    """One method by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    method : Method

    Examples
    --------
    >>> from phida_bench.methods import method
    >>> method("GNG").group
    'online'
    """
    try:
        return methods()[name]
    except KeyError:
        raise ValueError(f"there is no method {name!r}; the names are {', '.join(methods())}.") from None
