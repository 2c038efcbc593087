"""PHIDA and PHIDA+ on Dask: one model over the partitions of a Dask frame or array. ``docs/distributed.md``.

The rounds are those of :mod:`phida.distributed`, and so are the bits. The scheduler that Dask is set to does the work:
threads, unless another one is chosen. The native core releases the GIL, so that threads use all cores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

try:
    import dask
except ImportError as error:
    raise ImportError('phida.dask needs Dask: pip install "phida[dask]"') from error

from phida import distributed
from phida._local_update import LocalUpdate
from phida.estimators import Estimator, PHIDAPlus

__all__ = ["fit", "partial_fit"]

E = TypeVar("E", bound=Estimator)


def fit(collection: Any, *, estimator: type[E] = PHIDAPlus, random_state: int = 0, **parameters: Any) -> E:
    """A model of a Dask collection, learned afresh; at the end it is refreshed.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        Its partitions (of an array, the chunks of rows) and the order of rows in them decide the model to the bit.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Seed of the samples.
    **parameters
        Of the estimator, but ``compute_labels``.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    model = partial_fit(distributed.unfitted(estimator, parameters), collection, random_state=random_state)
    if not model.__sklearn_is_fitted__():
        raise ValueError("the collection has no row to learn from.")
    return model.refresh()


def partial_fit(model: E, collection: Any, *, random_state: int = 0) -> E:
    """Go on learning with the rows of a Dask collection; nothing is reset, and the stage does not end.

    The collection is persisted while it is learned. Either all of it is learned or, on an error, nothing.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Fitted or not; it is changed.
    collection : dask.dataframe.DataFrame or dask.array.Array
    random_state : int, default=0
        Seed of the samples.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    parts = dask.persist(*_partitions(collection))
    lengths = dask.compute(*(dask.delayed(len)(part) for part in parts))
    parts = [part for part, length in zip(parts, lengths, strict=True) if length]

    rows, update = dask.delayed(distributed.sliced, pure=False), dask.delayed(_update, pure=False)

    def rows_of(slices: distributed.Slices) -> Iterator[Any]:
        return iter(dask.compute(*(rows(parts[p], begin, end) for p, begin, end in distributed.in_round(slices))))

    def updates_of(learning: E, slices: distributed.Slices) -> Iterator[LocalUpdate]:
        sent, asked = dask.delayed(learning, traverse=False), distributed.in_round(slices)
        which = {"n_partitions": len(parts), "random_state": random_state}
        sending = [{"n_updates": len(asked), "last": p == asked[-1][0]} for p, _, _ in asked]
        updates = (
            update(sent, parts[p], begin, end, which | {"partition": p}, trimmed)
            for (p, begin, end), trimmed in zip(asked, sending, strict=True)
        )
        return iter(dask.compute(*updates))

    return distributed.learn(model, [length for length in lengths if length], rows_of, updates_of)


def _partitions(collection: Any) -> list[Any]:
    """As delayed frames or matrices."""
    if not hasattr(collection, "to_delayed"):
        raise TypeError(
            f"a Dask frame or array is needed, not {type(collection).__name__}; "
            "phida.distributed learns from partitions in memory."
        )
    if getattr(collection, "ndim", 2) != 2:
        raise ValueError(f"the array has {collection.ndim} dimensions; rows and features are two.")
    if hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})  # a chunk has all features of its rows
    delayed = collection.to_delayed()
    return list(delayed.ravel()) if hasattr(delayed, "ravel") else list(delayed)


def _update(
    model: Estimator, part: Any, begin: int, end: int, which: dict[str, int], sending: dict[str, Any]
) -> LocalUpdate:
    return model.local_update(distributed.sliced(part, begin, end), **which).for_sending(**sending)
