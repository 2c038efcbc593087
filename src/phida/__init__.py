"""PHIDA: online clustering of numeric streams, with no K and nothing to tune."""

import os
import warnings

from phida._versions import __version__, show_versions
from phida.estimators import PHIDA, PHIDAPlus, load
from phida.state_file import StateFileError

if os.environ.get("PHIDA_SIMD", "") not in ("", "baseline", "avx2", "avx512"):
    warnings.warn(
        f"PHIDA_SIMD={os.environ['PHIDA_SIMD']!r} is ignored; it takes baseline, avx2 or avx512.", stacklevel=2
    )

__all__ = ["PHIDA", "PHIDAPlus", "StateFileError", "__version__", "load", "show_versions"]
