"""The version, and details for bug reports."""

from __future__ import annotations

import platform
from importlib.metadata import version

from phida import _core

__version__ = version("phida")


def show_versions() -> None:
    """Print the versions of phida and its dependencies.

    Examples
    --------
    >>> import phida
    >>> phida.show_versions()  # doctest: +ELLIPSIS
    phida: ...
    """
    import numpy
    import sklearn

    facts = {
        "phida": __version__,
        "simd level": f"{_core.simd_level()} (of {', '.join(_core.simd_levels())})",
        "python": platform.python_version(),
        "platform": platform.platform(),
        "numpy": numpy.__version__,
        "scikit-learn": sklearn.__version__,
    }
    for name, value in facts.items():
        print(f"{name}: {value}")
