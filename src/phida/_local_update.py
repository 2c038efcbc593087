"""Local updates: what a worker sends to the driver about its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

_NUMBERS = (
    *("n_seen", "n_created", "n_nodes", "counted"),
    *("interval", "vigilance", "ratio", "since_recalculation", "samples_kept", "plus"),
)
_PLUS_NUMBERS = ("theta_present", "log_theta", "n_far")

#: Recent margins that a model keeps, over all partitions; kMostMargins of the core.
MOST_MARGINS = 1024

#: Intervals of sampled rows in a batch, over all partitions.
SAMPLED_INTERVALS = 4


@dataclass(frozen=True, eq=False)
class LocalUpdate:
    """Additive statistics per node, and rows that must be learned one by one.

    Made by ``local_update`` of an estimator, taken in by ``apply_updates``. An update is plain data: it can be pickled,
    or sent as bytes that hold no code.

    Parameters
    ----------
    columns : mapping
        Arrays and numbers by name, as the native learner gives them.
    """

    columns: Mapping[str, Any]

    @property
    def n_rows(self) -> int:
        """Number of rows that the update covers."""
        return self.n_counted + self.n_rest

    @property
    def n_counted(self) -> int:
        """Number of rows that are only in the statistics."""
        return int(self.columns["counted"])

    @property
    def n_rest(self) -> int:
        """Number of rows in the update: the sample, and those that fail the vigilance test."""
        return len(self.columns["rest"])

    def for_sending(self, *, n_updates: int, last: bool) -> Self:
        """Return the update without the parts that ``apply_updates`` does not use.

        Parameters
        ----------
        n_updates : int
            How many updates are applied together: each gives its share of the margins.
        last : bool
            Whether this is the last one of them: the window of the vigilance is taken from that one alone.

        Returns
        -------
        update : LocalUpdate
        """
        columns = dict(self.columns)
        columns["margins"] = columns["margins"][-max(MOST_MARGINS // n_updates, 1) :]
        if not last:
            columns |= {"samples": columns["samples"][:0], "samples_kept": 0, "interval": 2, "since_recalculation": 0}
        return type(self)(columns)

    def to_bytes(self) -> bytes:
        """Return the update as bytes, in the safetensors format."""
        return save({name: np.atleast_1d(value) for name, value in self.columns.items()})

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """Restore an update from the bytes of :meth:`to_bytes`; its values are checked when it is applied.

        Parameters
        ----------
        content : bytes

        Returns
        -------
        update : LocalUpdate
        """
        try:
            arrays: dict[str, Any] = load(content)
            names = (*_NUMBERS, *_PLUS_NUMBERS) if arrays["plus"].item() else _NUMBERS
            numbers = {name: arrays[name].item() for name in names}
        except (SafetensorError, KeyError, ValueError, TypeError, RecursionError, OverflowError) as error:
            raise ValueError(f"these bytes do not hold a local update ({error!r}).") from error
        return cls(arrays | numbers)


def sample_size(interval: int, n_partitions: int) -> int:
    """Return the number of sampled rows per partition."""
    return -(-SAMPLED_INTERVALS * interval // n_partitions)


def seed_of(random_state: int, n_seen: int, partition: int) -> int:
    """Return the random seed of a partition; it differs between batches."""
    return int(np.random.SeedSequence([random_state, n_seen, partition]).generate_state(1, np.uint64)[0])
