"""Selection of feature and label columns."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from phida._streams.batch import DataError

#: Rows from which a column can be recognised as an id.
_ENOUGH_ROWS = 20

#: Share of steps by one from which a column counts rows: it may restart every 100 rows, but not every 60.
_COUNTING = 0.99

#: Maximum number of columns. The names of more would take a hundred times the memory of their values.
MOST_COLUMNS = 1 << 17


def check_width(what: str, count: int) -> None:
    """Refuse more than the maximum number of columns; ``what`` has them."""
    if count > MOST_COLUMNS:
        raise DataError(f"{what} has {count:,} columns; at most {MOST_COLUMNS:,} are read.")


@dataclass(frozen=True)
class Selection:
    """The columns that the user or a model selects."""

    columns: tuple[str, ...] = ()
    """The features, in this order; empty: all other columns."""
    exclude: tuple[str, ...] = ()
    label: str | None = None
    convert: Mapping[str, str | None] = field(default_factory=dict)
    """Columns of dates and booleans to learn as numbers, and their formats; None: detect the format."""
    categories: tuple[str, ...] = ()
    """Category columns to learn."""
    keep_missing: bool = False
    """Whether missing values become NaN, to be filled later; if not, they make a row bad."""

    def all_names(self) -> tuple[str, ...]:
        """Return all named columns."""
        label = () if self.label is None else (self.label,)
        return tuple(dict.fromkeys((*self.columns, *self.exclude, *label, *self.convert, *self.categories)))

    def has_values_of(self, vector: str) -> bool:
        """Return whether values of a vector column are features."""
        if self.columns:
            return any(name == vector or name.startswith(f"{vector}_") for name in self.columns)
        return vector not in (*self.exclude, self.label)

    def left_out(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Return the columns of a file that are not features, by reason."""
        label = [] if self.label is None else [self.label]
        excluded = _unfolded(self.exclude, names)
        chosen = {*(_unfolded(self.columns, names) or names), *excluded, *label, *self.categories}
        found = {"--exclude": excluded, "--label": label}
        found["not selected"] = [name for name in names if name not in chosen]
        return {reason: columns for reason, columns in found.items() if columns}

    def features(self, names: Sequence[str]) -> list[int]:
        """Return the positions of the features among the columns of a file."""
        place = {name: i for i, name in enumerate(names)}
        if len(place) < len(names):
            twice = next(name for i, name in enumerate(names) if place[name] != i)
            raise DataError(f"two columns have the name {twice!r}; rename one.")
        columns = _unfolded(self.columns, names)
        left_out = [*_unfolded(self.exclude, names), *([] if self.label is None else [self.label]), *self.categories]
        for name in (*columns, *left_out, *self.convert):
            if name not in place:
                raise DataError(f"column {name!r} does not exist; the columns are {', '.join(names)[:500]}.")
        others = set(left_out)
        for name, count in Counter(columns).items():
            if count > 1:
                raise DataError(f"--columns has {name!r} twice; name each column once.")
            if name in others:
                raise DataError(
                    f"column {name!r} is named by --columns, and by --exclude, --label or --categories; name it once."
                )
        chosen = [place[name] for name in columns or names if name not in others]
        if not chosen:
            raise DataError("no columns are left to learn from; choose others with --columns or --exclude.")
        return chosen


def _unfolded(chosen: Iterable[str], names: Sequence[str]) -> list[str]:
    """Replace the name of a vector by the names of its values: ``v`` becomes ``v_0``, ``v_1``, …"""
    known = set(names)
    found: list[str] = []
    for name in chosen:
        values = [f"{name}_{i}" for i in range(len(names))] if name not in known and f"{name}_0" in known else [name]
        found += [value for value in values if value in known] or [name]
    return found


def made_up(names: Sequence[str]) -> bool:
    """Return whether columns without names were numbered."""
    return list(names) == [str(i) for i in range(len(names))]


def listed(names: Iterable[str]) -> str:
    """Format names for a command line option."""
    return shlex.quote(",".join(f'"{name}"' if "," in name else name for name in names))


class NotNumericError(DataError):
    """Non-numeric columns in the first rows."""


def likely_ids(names: Sequence[str], rows: NDArray[np.float64]) -> list[str]:
    """Return features that resemble ids: numbers that only increase, and integers that are unique or count rows."""
    if len(rows) < _ENOUGH_ROWS:
        return []
    found = []
    for i, name in enumerate(names):
        values = rows[:, i]
        if not np.isfinite(values).all():
            continue
        steps, whole = np.diff(values), bool((values == np.floor(values)).all())
        repeats = len(np.unique(values)) < len(values)
        if (steps > 0).all() or (whole and (not repeats or (steps == 1).mean() > _COUNTING)):
            found.append(name)
    return found
