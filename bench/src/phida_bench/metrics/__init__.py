"""The metrics. Each module here declares some; a new metric is a new module with ``METRICS``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from phida_bench.metrics.interface import Evaluation, Metric

__all__ = ["Evaluation", "Metric", "metrics"]


@cache
def metrics() -> dict[str, Metric]:
    """All metrics by name.

    Examples
    --------
    >>> from phida_bench.metrics import metrics
    >>> list(metrics())[:2]
    ['ari', 'ami']
    """
    modules = sorted(info.name for info in pkgutil.iter_modules(__path__))
    found = [m for name in modules for m in getattr(import_module(f"{__name__}.{name}"), "METRICS", ())]
    return {m.name: m for m in sorted(found, key=lambda m: m.order)}
