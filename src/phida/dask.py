"""PHIDA and PHIDA+ on Dask: one model trained on all partitions of a Dask frame or array.

The work is done by Dask's configured scheduler, by default threads. The native core releases the GIL, so threads use
all cores. See ``docs/distributed.md``.
"""

from __future__ import annotations

import copy
from functools import reduce
from typing import Any, TypeVar

try:
    import dask
except ImportError as error:
    raise ImportError('phida.dask needs Dask: pip install "phida[dask]"') from error

from phida import distributed
from phida.errors import InputError
from phida.estimators import Estimator, PHIDAPlus

__all__ = ["fit"]

E = TypeVar("E", bound=Estimator)


def fit(collection: Any, *, estimator: type[E] = PHIDAPlus, **parameters: Any) -> E:
    """Train a new model on a Dask collection, and refresh it.

    PHIDA+ learns all partitions in parallel and merges the models. PHIDA, and PHIDA+ with ``half_life``, learn the
    partitions one after another. To add a batch to a PHIDA+ model, use ``model.merge(phida.dask.fit(batch))``.

    Parameters
    ----------
    collection : dask.dataframe.DataFrame or dask.array.Array
        The model depends on the partitions (for an array, the chunks of rows) and on the order of their rows.
    estimator : type, default=PHIDAPlus
        :class:`phida.PHIDAPlus` or :class:`phida.PHIDA`.
    **parameters
        Parameters of the estimator, except ``compute_labels``.

    Returns
    -------
    model : PHIDA or PHIDAPlus
    """
    unfitted, parts = distributed.unfitted(estimator, parameters), _partitions(collection)
    learned, merged = dask.delayed(_learned, pure=False), dask.delayed(_merged, pure=False)
    if unfitted._settings().needs_order:
        planned = reduce(learned, parts, unfitted)
    else:
        planned = distributed.merge_tree([learned(unfitted, part) for part in parts], merged)
    (model,) = dask.compute(planned)
    if not model.__sklearn_is_fitted__():
        raise InputError("the collection has no rows to learn from.")
    return model.refresh()  # type: ignore[no-any-return]


def _partitions(collection: Any) -> list[Any]:
    """Return the partitions as delayed frames or matrices."""
    if not hasattr(collection, "to_delayed"):
        raise TypeError(
            f"expected a Dask frame or array, not {type(collection).__name__}; for arrays in memory, use fit."
        )
    if getattr(collection, "ndim", 2) != 2:
        raise InputError(f"expected an array with 2 dimensions (rows, features), not {collection.ndim}.")
    if hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})  # each chunk gets all features of its rows
    delayed = collection.to_delayed()
    return list(delayed.ravel()) if hasattr(delayed, "ravel") else list(delayed)


# Dask may run a task again on the same arguments, so tasks change copies.


def _learned(model: E, part: Any) -> E:
    return distributed.learn_part(copy.deepcopy(model), part) if len(part) else model


def _merged(one: PHIDAPlus, other: PHIDAPlus) -> PHIDAPlus:
    return distributed.merge_parts(copy.deepcopy(one), other)
