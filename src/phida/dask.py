"""PHIDA and PHIDA+ on Dask: one model trained on all partitions of a Dask frame or array.

The model is bit-identical to that of :mod:`phida.distributed`. The work is done by Dask's configured scheduler, by
default threads. The native core releases the GIL, so threads use all cores. See ``docs/distributed.md``.
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
    """Train a new model on a Dask collection, and refresh it.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        The model depends on the partitions (for an array, the chunks of rows) and on the order of their rows.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    random_state : int, default=0
        Random seed of the samples.
    **parameters
        Parameters of the estimator, except ``compute_labels``.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    model = partial_fit(distributed.unfitted(estimator, parameters), collection, random_state=random_state)
    if not model.__sklearn_is_fitted__():
        raise ValueError("the collection has no rows to learn from.")
    return model.refresh()


def partial_fit(model: E, collection: Any, *, random_state: int = 0) -> E:
    """Learn the rows of a Dask collection, without reset or refresh.

    The collection is persisted during training. If an error occurs, the model does not change.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
        Model to train, fitted or not.
    collection : dask.dataframe.DataFrame or dask.array.Array
    random_state : int, default=0
        Random seed of the samples.

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
            f"expected a Dask frame or array, not {type(collection).__name__}; "
            "for partitions in memory, use phida.distributed."
        )
    if getattr(collection, "ndim", 2) != 2:
        raise ValueError(f"expected an array with 2 dimensions (rows, features), not {collection.ndim}.")
    if hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})  # a chunk has all features of its rows
    delayed = collection.to_delayed()
    return list(delayed.ravel()) if hasattr(delayed, "ravel") else list(delayed)


def _update(
    model: Estimator, part: Any, begin: int, end: int, which: dict[str, int], sending: dict[str, Any]
) -> LocalUpdate:
    return model.local_update(distributed.sliced(part, begin, end), **which).for_sending(**sending)
