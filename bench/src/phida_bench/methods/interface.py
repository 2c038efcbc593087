"""What the benchmark asks of a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from phida_bench.protocol import SETTINGS, Setting

Rows = NDArray[np.float64]
Labels = NDArray[np.int64]


class Declined(Exception):
    """A method's reason for not running on a data set."""


class System(Protocol):
    """One model in one trial. Only ``learn`` is timed."""

    def learn(self, X: Rows) -> None:
        """Learn the rows of one stage and end learning.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
        """

    def labels(self, X: Rows) -> Labels:
        """Labels of all rows learned so far, in the order in which they were learned.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            These rows.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """

    @property
    def n_nodes(self) -> int | None:
        """Nodes active for prediction; None where the method has none."""

    @property
    def n_clusters(self) -> int:
        """Output clusters after the last stage."""


@runtime_checkable
class ClassCounted(System, Protocol):
    """A model that is given the number of classes seen so far, before it labels."""

    def tell_classes(self, count: int) -> None: ...


@dataclass(frozen=True)
class Task:
    """What a method may know before the first row of a trial. No true label is in it."""

    n_features: int
    """How many features the rows have."""
    seed: int
    """For methods that draw random numbers."""
    setting: Setting
    """In which order the rows will come."""
    feature_range: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Smallest and largest value of each feature, for methods that scale to a known range by definition."""
    n_classes: int | None
    """Only for methods that take the number of classes by definition (``needs_class_count``)."""
    parameters: Mapping[str, Any]
    """The method's own, tuned or default."""
    memory: int | None = None
    """Bytes that the trial may use; None for no limit."""


class Suggest(Protocol):
    """What proposes parameters: an optuna trial is one."""

    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int: ...
    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float: ...


@dataclass(frozen=True, eq=False)
class Method:
    """How a system enters the benchmark."""

    name: str
    """What tables and the command line call it."""
    group: str
    """One of phida, plus, ablation, mapping, online, batch, told (given the number of groups), density and stream."""
    order: int
    """Position in tables."""
    summary: str
    """What it is, in a line."""
    make: Callable[[Task], System]
    """Makes the system for a trial."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Its own, by default."""
    settings: tuple[Setting, ...] = SETTINGS
    """Those that it takes part in."""
    needs_class_count: bool = False
    """Whether it is given the number of classes, by definition."""
    deterministic: bool = False
    """Nothing is drawn: one trial, on the rows in the data set's own order, since where distances tie it matters."""
    published: str | None = None
    """Its name in the published tables."""
    space: Callable[[Suggest], dict[str, Any]] | None = None
    """Parameters that are tuned, for those that the paper tuned; its docstring says where the ranges come from."""
    starts: tuple[Mapping[str, Any], ...] = ()
    """Points of that space that are tried first: defaults, and what publications use."""
    fixed: str = ""
    """What was decided where publications leave it open, in words; records and the report carry it."""
    requires: Mapping[str, str] = field(default_factory=dict)
    """Modules it imports, and the extra of phida-bench that installs each."""

    def missing(self) -> str | None:
        """Why it cannot run here, or None."""
        for module, extra in self.requires.items():
            if find_spec(module) is None:
                return f'needs {module}: pip install "./bench[{extra}]"'
        return None
