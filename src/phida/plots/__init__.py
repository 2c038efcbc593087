"""Plots of a fitted model, with matplotlib.

Each function draws one record (:class:`PersistenceDiagram`, :class:`Dendrogram`, :class:`NodePositions`,
:class:`LineageBands`, the model's own ``history_``, :class:`phida.answers.Profile`), which has the same numbers in
``to_pandas()``. A function takes a model and ``ax=``, and returns the axes; nothing is shown. Clusters bear their
stable ids, and each id has a colour and a marker of its own.
"""

try:
    import matplotlib as _matplotlib  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError('phida.plots needs matplotlib: pip install "phida[plot]"') from error

from phida.plots.bands import LineageBands
from phida.plots.hierarchy import Dendrogram, plot_hierarchy
from phida.plots.history import plot_history
from phida.plots.lineage import plot_lineage
from phida.plots.nodes import NodePositions, plot_nodes
from phida.plots.persistence import PersistenceDiagram, plot_persistence
from phida.plots.profile import plot_profile

__all__ = [
    "Dendrogram",
    "LineageBands",
    "NodePositions",
    "PersistenceDiagram",
    "plot_hierarchy",
    "plot_history",
    "plot_lineage",
    "plot_nodes",
    "plot_persistence",
    "plot_profile",
]


def __dir__() -> list[str]:
    """Return the public names, without submodules and imports."""
    return list(__all__)
