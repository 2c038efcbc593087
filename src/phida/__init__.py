"""PHIDA: online clustering of numeric streams that finds the number of clusters."""

import os
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from phida.errors import InputError, ParameterError, PhidaError, StateFileError

if TYPE_CHECKING:
    from phida._versions import __version__, show_versions
    from phida.estimators import PHIDA, PHIDAPlus, load

if os.environ.get("PHIDA_SIMD", "") not in ("", "baseline", "avx2", "avx512"):
    warnings.warn(
        f"PHIDA_SIMD={os.environ['PHIDA_SIMD']!r} is ignored; it takes baseline, avx2 or avx512.", stacklevel=2
    )

__all__ = [
    "PHIDA",
    "InputError",
    "PHIDAPlus",
    "ParameterError",
    "PhidaError",
    "StateFileError",
    "__version__",
    "load",
    "show_versions",
]

#: Names that are imported on first use, with their modules: scikit-learn takes a second to import, and most commands do
#: not need it.
_LATER = {"__version__": "_versions", "show_versions": "_versions"}
_LATER |= dict.fromkeys(["PHIDA", "PHIDAPlus", "load"], "estimators")

#: Modules that are there without an import of their own.
_MODULES = ("answers", "errors", "estimators", "lineage", "records", "state_file")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
