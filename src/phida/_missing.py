"""Missing values: filled from earlier rows, or dropped. The imputer learns online and is saved with the model."""

from __future__ import annotations

import base64
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from phida.errors import ParameterError

Floats = NDArray[np.float64]

RULES = ("median", "mean", "drop")

#: Sample size of a median: per feature, and over all features.
_MOST, _MOST_OF_ALL = 1024, 1 << 17

#: Rows between two updates of the median, once it has as many.
_STEP = 64


class Imputer:
    """Replacements for missing values of each feature.

    The median is that of a sample: the values whose numbers have the smallest hashes. Up to 1,024 values, the sample is
    complete. Neither rule depends on batches, with one exception: a missing value before the first value of its feature
    is filled with the first one of the batch.
    """

    def __init__(self, rule: str, width: int) -> None:
        if rule not in RULES:
            raise ParameterError(f"the rule for missing values must be one of {', '.join(RULES)}, not {rule!r}.")
        self.rule = rule
        self._count = np.zeros(width, np.int64)
        self._total = np.zeros(width)
        self._rows = 0
        self._room = max(16, min(_MOST, _MOST_OF_ALL // max(1, width)))
        self._kept: list[tuple[NDArray[np.uint64], Floats]] = [
            (np.empty(0, np.uint64), np.empty(0)) for _ in range(width)
        ]
        self._begun = list(self._kept)  # at the beginning of the current step
        self._now: Floats | None = None  # the current medians, once computed
        self.filled = self.dropped = 0
        """How many values were filled, and rows dropped, since this was made."""

    def learned(self, rows: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Learn from rows, fill each from the rows before it, and return which rows are kept."""
        if self.rule == "drop":
            return self._dropped(rows)
        missing = np.isnan(rows)
        filled = self._by_means(rows, missing) if self.rule == "mean" else self._by_medians(rows, missing)
        return self._kept_rows(filled, missing)

    def applied(self, rows: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Fill rows with the learned values, and return which rows are kept."""
        if self.rule == "drop":
            return self._dropped(rows)
        missing = np.isnan(rows)
        if not missing.any():
            return rows, np.ones(len(rows), bool)
        return self._kept_rows(np.where(missing, self.values(), rows), missing)

    def unknown(self, rows: Floats) -> NDArray[np.bool_]:
        """Return which features have no value in these rows or before."""
        return np.asarray((self._count == 0) & np.isnan(rows).all(axis=0))

    def values(self) -> Floats:
        """Return the current replacement of each feature; NaN before its first value."""
        if self.rule == "mean":
            means: Floats = np.full(len(self._total), np.nan)
            np.divide(self._total, self._count, out=means, where=self._count > 0)
            return means
        return _medians(self._kept)

    def to_plain(self) -> dict[str, Any]:
        """Return the state, for a file."""
        found: dict[str, Any] = {"rule": self.rule, "rows": self._rows}
        if self.rule == "mean":
            found |= {"count": self._count.tolist(), "total": self._total.tolist()}
        if self.rule == "median":
            found |= {"count": self._count.tolist(), "kept": [_encoded(values) for _, values in self._kept]}
            found["hashes"] = [_encoded(hashes) for hashes, _ in self._kept]
            found["fixed"] = [None if np.isnan(value) else float(value) for value in self._fixed()]
        return found

    @classmethod
    def from_plain(cls, found: Any, width: int) -> Self:
        """Restore from a file; raise ValueError if it is damaged."""
        try:
            made = cls(found["rule"], width)
            made._rows = int(found["rows"])
            if made.rule == "drop":
                return made
            made._count = _checked(np.array(found["count"], np.int64), width)
            if made.rule == "mean":
                made._total = _checked(np.array(found["total"], np.float64), width)
            else:
                made._kept = [
                    (_decoded(hashes, np.uint64), _decoded(values, np.float64))
                    for hashes, values in zip(found["hashes"], found["kept"], strict=True)
                ]
                made._now = np.array([np.nan if value is None else float(value) for value in found["fixed"]])
                if len(made._now) != width:
                    raise ValueError("its medians are inconsistent")
                if len(made._kept) != width or any(len(a) != len(b) or len(a) > made._room for a, b in made._kept):
                    raise ValueError("its samples are inconsistent")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"its data on missing values is damaged ({error})") from error
        return made

    def _dropped(self, rows: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        good = _complete(rows)
        self.dropped += int(len(rows) - good.sum())
        return (rows if good.all() else rows[good]), good

    def _kept_rows(self, filled: Floats, missing: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the rows without those that cannot be filled."""
        self.filled += int(missing.sum())
        good = _complete(filled)
        self.dropped += int(len(filled) - good.sum())
        return (filled if good.all() else np.ascontiguousarray(filled[good])), good

    def _by_means(self, rows: Floats, missing: NDArray[np.bool_]) -> Floats:
        # Sequential sums, so that batches do not change the last bit.
        totals = np.cumsum(np.vstack([self._total, np.where(missing, 0.0, rows)]), axis=0)
        counts = np.cumsum(np.vstack([self._count, ~missing]), axis=0)
        self._rows += len(rows)
        self._total, self._count = totals[-1].copy(), counts[-1].copy()
        if not missing.any():
            return rows
        means = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)[:-1]
        return np.where(missing, np.where(counts[:-1] > 0, means, _first(rows, missing)), rows)

    def _by_medians(self, rows: Floats, missing: NDArray[np.bool_]) -> Floats:
        filled = rows.copy() if missing.any() else rows
        first = _first(rows, missing)
        begin = 0
        while begin < len(rows):
            step = 1 if self._rows < _STEP else _STEP - self._rows % _STEP
            part = slice(begin, min(begin + step, len(rows)))
            if self._rows < _STEP or self._rows % _STEP == 0:
                self._begun, self._now = list(self._kept), None
            if missing[part].any():
                now = self._fixed()
                filled[part] = np.where(missing[part], np.where(np.isnan(now), first, now), rows[part])
            self._keep(rows[part], missing[part])
            begin = part.stop
        return filled

    def _fixed(self) -> Floats:
        """Return the medians at the beginning of the step, which do not depend on batches."""
        if self._now is None:
            self._now = _medians(self._begun)
        return self._now

    def _keep(self, rows: Floats, missing: NDArray[np.bool_]) -> None:
        self._rows += len(rows)
        for i, (hashes, values) in enumerate(self._kept):
            present = rows[:, i] if not missing[:, i].any() else rows[~missing[:, i], i]
            new = _hashes(int(self._count[i]), len(present))
            self._count[i] += len(present)
            if len(hashes) == self._room:
                lower = new < hashes[-1]
                new, present = new[lower], present[lower]
                if not len(new):
                    continue
            hashes, values = np.concatenate([hashes, new]), np.concatenate([values, present])
            order = np.argsort(hashes)[: self._room]
            self._kept[i] = (hashes[order], values[order])


def _medians(kept: list[tuple[NDArray[np.uint64], Floats]]) -> Floats:
    return np.array([np.median(values) if len(values) else np.nan for _, values in kept])


def _complete(rows: Floats) -> NDArray[np.bool_]:
    """Return a mask of the rows without missing values."""
    return np.asarray(~np.isnan(rows).any(axis=1))


def _first(rows: Floats, missing: NDArray[np.bool_]) -> Floats:
    """Return the first value of each feature; NaN if all are missing."""
    first: Floats = rows[np.argmin(missing, axis=0), np.arange(rows.shape[1])]
    return first


def _hashes(first: int, count: int) -> NDArray[np.uint64]:
    """Return hashes of the numbers from ``first`` on (the finaliser of splitmix64)."""
    found = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return found ^ (found >> np.uint64(31))


def _encoded(values: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).tobytes()).decode()


def _decoded(text: str, kind: type[np.generic]) -> NDArray[Any]:
    found = np.frombuffer(base64.b64decode(text, validate=True), np.dtype(kind).newbyteorder("<"))
    return _checked(found.astype(kind), len(found))


def _checked(values: NDArray[Any], width: int) -> NDArray[Any]:
    if values.shape != (width,) or not np.isfinite(values).all():
        raise ValueError("numbers are missing or not finite")
    return values
