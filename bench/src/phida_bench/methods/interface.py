"""The interface of a method of the benchmark."""

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
    """A method does not run on a data set, for the reason given."""


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
            All rows learned so far.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
        """

    @property
    def n_nodes(self) -> int | None:
        """Nodes active for prediction; None if the method has no nodes."""

    @property
    def n_clusters(self) -> int:
        """Output clusters after the last stage."""


@runtime_checkable
class ClassCounted(System, Protocol):
    """A model that receives the number of classes seen so far, before it labels."""

    def tell_classes(self, count: int) -> None: ...


@dataclass(frozen=True)
class Task:
    """The information that a method may have before the first row of a trial, without any true label."""

    n_features: int
    """Number of features."""
    seed: int
    """Seed for methods that draw random numbers."""
    setting: Setting
    """Setting: the order of the rows."""
    feature_range: tuple[NDArray[np.float64], NDArray[np.float64]]
    """Smallest and largest value of each feature, for methods that scale to a known range by definition."""
    n_classes: int | None
    """Only for methods that take the number of classes by definition (``needs_class_count``)."""
    parameters: Mapping[str, Any]
    """The method's parameters, tuned or default."""
    memory: int | None = None
    """Bytes that the trial may use; None for no limit."""


class Suggest(Protocol):
    """The interface that proposes parameters, such as an optuna trial."""

    def suggest_int(self, name: str, low: int, high: int, *, log: bool = False) -> int: ...
    def suggest_float(self, name: str, low: float, high: float, *, log: bool = False) -> float: ...


@dataclass(frozen=True, eq=False)
class Method:
    """A method's entry in the benchmark."""

    name: str
    """Name in tables and on the command line."""
    group: str
    """One of phida, plus, ablation, mapping, online, batch, told (a method that is given the number of groups), density
    and stream.
    """
    order: int
    """Position in tables."""
    summary: str
    """Description in one line."""
    make: Callable[[Task], System]
    """Makes the system for a trial."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Default parameters."""
    settings: tuple[Setting, ...] = SETTINGS
    """Settings that the method takes part in."""
    needs_class_count: bool = False
    """Whether the method is given the number of classes by definition."""
    deterministic: bool = False
    """Whether the method draws nothing: it then runs one trial, on the rows in the data set's own order, which decides
    ties.
    """
    published: str | None = None
    """Name in the published tables."""
    space: Callable[[Suggest], dict[str, Any]] | None = None
    """Search space of a method that the paper tuned; its docstring states the origin of the ranges."""
    starts: tuple[Mapping[str, Any], ...] = ()
    """Points of that space that are tried first: defaults, and values from publications."""
    fixed: str = ""
    """Decisions on details that publications leave open, in words; records and the report contain them."""
    requires: Mapping[str, str] = field(default_factory=dict)
    """Required modules, and the extra of phida-bench that installs each."""

    def missing(self) -> str | None:
        """Reason why the method cannot run here, or None."""
        for module, extra in self.requires.items():
            if find_spec(module) is None:
                return f'needs {module}: pip install "./bench[{extra}]"'
        return None
