"""What a worker sends to the driver: what it counted against a model that stood still, and the rows that it did not."""

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
    """Additive statistics per node, and the rows that are to be learned in order.

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
        """Rows that it was made of."""
        return self.n_counted + self.n_rest

    @property
    def n_counted(self) -> int:
        """Rows that are in the statistics alone."""
        return int(self.columns["counted"])

    @property
    def n_rest(self) -> int:
        """Rows that it carries: the sample, and those that fail the vigilance test."""
        return len(self.columns["rest"])

    def for_sending(self, *, n_updates: int, last: bool) -> Self:
        """The update without what ``apply_updates`` would not read.

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
        """The update in the safetensors format."""
        return save({name: np.atleast_1d(value) for name, value in self.columns.items()})

    @classmethod
    def from_bytes(cls, content: bytes) -> Self:
        """The update that :meth:`to_bytes` wrote; whether it makes sense is found out when it is applied.

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
            raise ValueError(f"these bytes hold no local update ({error!r}).") from error
        return cls(arrays | numbers)


def sample_size(interval: int, n_partitions: int) -> int:
    """Rows that one partition of a batch leaves in the sample."""
    return -(-SAMPLED_INTERVALS * interval // n_partitions)


def seed_of(random_state: int, n_seen: int, partition: int) -> int:
    """Another one for every partition of every batch."""
    return int(np.random.SeedSequence([random_state, n_seen, partition]).generate_state(1, np.uint64)[0])
