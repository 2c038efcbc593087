"""PHIDA+ on parts of the rows, in parallel: one model learns each part, and a tree of merges makes one model.

The tree joins neighbours in pairs, level by level, so the model depends on the parts and their order alone. Threads,
Dask and Spark give bit-identical models for the same parts. See ``docs/distributed.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial, reduce
from itertools import repeat
from typing import Any, TypeVar

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone

from phida import _validation
from phida.estimators import Estimator, PHIDAPlus

__all__ = ["fit_parts", "merge_tree", "merge_two"]

#: Number of parts of an array. It is fixed, so that the number of threads does not affect the model.
N_PARTS = 8

E = TypeVar("E", bound=Estimator)


def fit_parts(model: PHIDAPlus, X: Any, sample_weight: Any = None, n_jobs: int | None = None) -> PHIDAPlus:
    """Train a new model on 8 contiguous parts of an array, in threads, and refresh it.

    With ``half_life``, the order of all rows matters, so one thread learns them in order.

    Parameters
    ----------
    model : PHIDAPlus
        Source of the parameters; it does not change.
    X : array-like of shape (n_samples, n_features)
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows.
    n_jobs : int or None, default=None
        Number of threads; None means 1, and -1 one per core. It does not affect the result.

    Returns
    -------
    fitted : PHIDAPlus
        New model with ``compute_labels=False``.

    Examples
    --------
    >>> import numpy as np
    >>> from phida import PHIDAPlus
    >>> from phida.distributed import fit_parts
    >>> X = np.random.default_rng(0).normal(size=(4000, 3))
    >>> fit_parts(PHIDAPlus(), X, n_jobs=2).n_samples_seen_
    4000
    """
    unfitted: PHIDAPlus = clone(model).set_params(compute_labels=False)
    samples = _validation.rows(unfitted, X)
    weights = _validation.weights(sample_weight, len(samples))
    n_parts = 1 if needs_order(unfitted) else N_PARTS

    def learned(rows: Any, weight: Any) -> PHIDAPlus:
        fresh: PHIDAPlus = clone(unfitted)
        has_rows = len(rows) if weight is None else weight.any()
        return fresh.partial_fit(rows, sample_weight=weight) if has_rows else fresh

    with ThreadPoolExecutor(effective_n_jobs(n_jobs)) as threads:
        parts = repeat(None) if weights is None else np.array_split(weights, n_parts)
        models = list(threads.map(learned, np.array_split(samples, n_parts), parts))
        fitted: PHIDAPlus = merge_tree(models, mapped=threads.map)
    names = _validation.columns_of(X, samples.shape[1]).names
    fitted._name_features(None if names is None else names.tolist())
    return fitted.refresh()


def merge_two(one: PHIDAPlus, other: PHIDAPlus) -> PHIDAPlus:
    """Merge the second model into the first one, and return it. A model without rows changes nothing.

    Parameters
    ----------
    one, other : PHIDAPlus

    Returns
    -------
    merged : PHIDAPlus
        The first model, or the second one if the first one has no rows.
    """
    if not one.__sklearn_is_fitted__():
        return other
    return one.merge(other) if other.__sklearn_is_fitted__() else one


def merge_tree(
    models: Sequence[Any], merge: Callable[[Any, Any], Any] = merge_two, mapped: Callable[..., Any] = map
) -> Any:
    """Merge models in pairs of neighbours, level by level, until one is left.

    Parameters
    ----------
    models : sequence
        At least one model, in the order of the parts. The first one of a pair may change.
    merge : callable
        Merges two models.
    mapped : callable
        Applies a function to all pairs of a level; for instance, ``map`` of an executor.

    Returns
    -------
    model
    """
    left = list(models)
    while len(left) > 1:
        left = list(mapped(partial(reduce, merge), [left[k : k + 2] for k in range(0, len(left), 2)]))
    return left[0]


def needs_order(model: Estimator) -> bool:
    """Return whether all rows must be learned in order: by PHIDA, which cannot merge, and by models that forget."""
    return not isinstance(model, PHIDAPlus) or model.half_life is not None


def unfitted(estimator: type[E], parameters: dict[str, Any]) -> E:
    """Return a new model, after a check of its parameters."""
    if "compute_labels" in parameters:
        raise ValueError("compute_labels does not apply here; leave it out, and call predict after training.")
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()
    return model
