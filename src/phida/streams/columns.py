"""Which columns are features, which one is the label, and what to say where a name is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phida.streams.batch import DataError


@dataclass(frozen=True)
class Selection:
    """What the user, or a model that was there before, asks for."""

    columns: tuple[str, ...] = ()
    """The features, in this order; empty: all others."""
    exclude: tuple[str, ...] = ()
    label: str | None = None

    def features(self, names: Sequence[str]) -> list[int]:
        """Positions of the features among the columns of a file."""
        place = {name: i for i, name in enumerate(names)}
        if len(place) < len(names):
            twice = next(name for i, name in enumerate(names) if place[name] != i)
            raise DataError(f"the column {twice!r} stands there twice; rename one.")
        left_out = [*self.exclude, *([] if self.label is None else [self.label])]
        for name in (*self.columns, *left_out):
            if name not in place:
                raise DataError(f"there is no column {name!r}; the columns are {', '.join(names)[:500]}.")
        both = set(self.columns) & set(left_out)
        if both or len(set(self.columns)) < len(self.columns):
            raise DataError("a column is named twice: a feature can be neither left out nor a label.")
        chosen = [place[name] for name in self.columns or names if name not in left_out]
        if not chosen:
            raise DataError("no column is left to learn from.")
        return chosen


def made_up(names: Sequence[str]) -> bool:
    """Whether columns without names were numbered."""
    return list(names) == [str(i) for i in range(len(names))]


class NotNumericError(DataError):
    """The first row shows that a column is no feature."""

    def __init__(self, name: str, value: object) -> None:
        super().__init__(
            f"column {name!r} is not numeric ({str(value)[:40]!r} in the first row); leave it out with "
            f"--exclude {name}, or choose the features with --columns."
        )
