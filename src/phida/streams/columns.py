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
        wanted = [*self.columns, *self.exclude, *([self.label] if self.label is not None else [])]
        for name in wanted:
            if name not in names:
                raise DataError(f"there is no column {name!r}; the columns are {', '.join(names)}.")
        if len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise DataError(f"the column {twice!r} stands there twice; rename one.")
        left_out = {*self.exclude, self.label}
        chosen = [name for name in self.columns or names if name not in left_out]
        if not chosen:
            raise DataError("no column is left to learn from.")
        return [list(names).index(name) for name in chosen]


class NotNumericError(DataError):
    """The first row shows that a column is no feature."""

    def __init__(self, name: str, value: object) -> None:
        super().__init__(
            f"column {name!r} is not numeric ({str(value)[:40]!r} in the first row); leave it out with "
            f"--exclude {name}, or choose the features with --columns."
        )
