"""PHIDA+ on parts of the rows: a tree of merges unites the models of the parts.

The tree joins neighbours in pairs, level by level, so the model depends on the parts and their order alone. Dask and
Spark give bit-identical models for the same parts. See ``docs/distributed.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from phida import _parts
from phida.errors import InputError, ParameterError
from phida.estimators import Estimator, PHIDAPlus

__all__ = ["learn_part", "merge_parts", "merge_tree", "merge_two"]

E = TypeVar("E", bound=Estimator)


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


def learn_part(model: E, rows: Any) -> E:
    """Learn rows of a part without mapping its nodes to clusters, as Dask and Spark do.

    Merge such models with :func:`merge_parts`, and call ``refresh`` after the last merge: cluster ids begin there.

    Parameters
    ----------
    model : PHIDA or PHIDAPlus
    rows : array-like of shape (n_samples, n_features)

    Returns
    -------
    model : PHIDA or PHIDAPlus
        The same model.
    """
    return model._partial_fit(rows, follow=False)


def merge_parts(one: PHIDAPlus, other: PHIDAPlus) -> PHIDAPlus:
    """Merge two models of parts, without mapping the nodes to clusters.

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
    return one._merge([other], follow=False) if other.__sklearn_is_fitted__() else one


def merge_tree(models: Sequence[Any], merge: Callable[[Any, Any], Any] = merge_two) -> Any:
    """Merge models in pairs of neighbours, level by level, until one is left.

    Parameters
    ----------
    models : sequence
        At least one model, in the order of the parts. The first one of a pair may change.
    merge : callable, default=merge_two
        Merges two models. For models of :func:`learn_part`, pass :func:`merge_parts`.

    Returns
    -------
    model
    """
    if not models:
        raise InputError("there are no models to merge; pass at least one.")
    return _parts.tree(models, merge)


def unfitted(estimator: type[E], parameters: dict[str, Any]) -> E:
    """Return a new model, after a check of its parameters."""
    if "compute_labels" in parameters:
        raise ParameterError("compute_labels does not apply here; leave it out, and call predict after training.")
    if not isinstance(estimator, type):
        raise TypeError(
            f"estimator must be a class, such as PHIDAPlus, not {estimator!r}; pass its parameters by name instead."
        )
    model = estimator(compute_labels=False, **parameters)
    model._validate_params()
    return model
