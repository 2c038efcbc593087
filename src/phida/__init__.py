"""PHIDA: online clustering of numeric streams, with no K and nothing to tune."""

from phida._versions import __version__, show_versions
from phida.estimator import PHIDA

__all__ = ["PHIDA", "__version__", "show_versions"]
