"""Preparation of rows for a model: converted columns and missing values, saved with the model as data."""

from __future__ import annotations

import os
import threading
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from phida._encoding import Encoding, columns_of
from phida._missing import Imputer
from phida.errors import InputError

Floats = NDArray[np.float64]

#: Held while an imputer learns. One lock for all models, so that a fork can wait for it.
_LEARNING = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LEARNING.acquire, after_in_parent=_LEARNING.release, after_in_child=_LEARNING.release)


class Preparation:
    """Preparation of rows before a model learns them."""

    def __init__(self, imputer: Imputer | None = None) -> None:
        self.imputer = imputer
        """Imputer of missing values, if any."""
        self.conversions: dict[str, str] = {}
        """Formats of the columns of dates and booleans that are learned as numbers, by name."""
        self.encoding: Encoding | None = None
        """Encoding of tables with categories, if any. Missing numbers are filled before."""

    @property
    def rule(self) -> str | None:
        """The rule for missing values, or None. The command line's rule ``drop`` removes their rows."""
        if self.imputer is None or self.encoding is not None or self.imputer.rule == "drop":
            return None
        return self.imputer.rule

    @property
    def fills(self) -> bool:
        """Whether missing values are filled."""
        return self.rule is not None

    def refuse_other(self, other: Preparation, name: str) -> None:
        """Raise an error if the model of this name prepares rows differently, so that it cannot be merged.

        Values learned for missing ones may differ.
        """
        encodings = [None if one.encoding is None else one.encoding.to_plain() for one in (self, other)]
        if encodings[0] != encodings[1]:
            raise InputError(
                f"{name} and the first model have different encoders. Encode the rows of both with one TableEncoder; "
                "phida fit --categories makes one for each model, and --categories-of MODEL uses that of another."
            )
        if self.conversions != other.conversions:
            raise InputError(
                f"{name} converts {other.conversions or 'no columns'} and the first model "
                f"{self.conversions or 'no columns'}; merge models with the same --convert."
            )
        ours, theirs = (None if one.imputer is None else one.imputer.rule for one in (self, other))
        if ours != theirs:
            raise InputError(
                f"{name} has the rule {theirs or 'error'!r} for missing values and the first model "
                f"{ours or 'error'!r}; merge models with the same rule."
            )

    def learned(self, rows: Floats) -> Floats:
        """Learn from rows, and return them with their missing values filled from the rows before."""
        assert self.imputer is not None
        with _LEARNING:
            return self.imputer.learned(rows)[0]

    def filled(self, rows: Floats) -> Floats:
        """Return rows with their missing values filled."""
        assert self.imputer is not None
        with _LEARNING:
            return self.imputer.applied(rows)[0]

    def encoded(self, X: Any) -> Floats | None:
        """Return a frame with the columns of the encoding as rows; None for anything else."""
        names = None if self.encoding is None else self.encoding.names
        if self.encoding is None or names is None or not set(names) <= set(map(str, getattr(X, "columns", ()))):
            return None
        return self.encoding.rows(columns_of(X[names]))

    def to_plain(self) -> dict[str, Any] | None:
        """Return the state as plain values, for a file; None if there is nothing to keep."""
        found: dict[str, Any] = {}
        if self.imputer is not None:
            with _LEARNING:
                found["impute"] = self.imputer.to_plain()
        if self.conversions:
            found["convert"] = dict(self.conversions)
        if self.encoding is not None:
            found["encode"] = self.encoding.to_plain()
        return found or None

    @classmethod
    def from_plain(cls, found: Any, width: int) -> Self:
        """Restore from plain values; ValueError if they are damaged."""
        made = cls()
        if found is None:
            return made
        if not isinstance(found, dict) or found.keys() - {"impute", "convert", "encode"}:
            raise ValueError("its data on the preparation of rows is damaged")
        convert = found.get("convert", {})
        if not isinstance(convert, dict) or not all(isinstance(format, str) for format in convert.values()):
            raise ValueError("its data on converted columns is damaged")
        made.conversions = dict(convert)
        if "encode" in found:
            made.encoding = Encoding.from_plain(found["encode"])
            if len(made.encoding.features()) != width:
                raise ValueError(f"its encoded columns do not give {width} features")
            width = len(made.encoding.numbers)
        if "impute" in found:
            made.imputer = Imputer.from_plain(found["impute"], width)
        return made
