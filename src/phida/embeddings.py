"""Dimension reduction for embeddings, learned once and then fixed.

UMAP needs umap-learn; ``pip install "phida[embeddings]"`` installs it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import diags_array, issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from phida import _validation, state_file
from phida._safetensors import arrays_of, metadata_of, packed
from phida.errors import InputError, ParameterError, StateFileError

__all__ = ["Reducer"]

#: Type of a file with a linear reduction.
_KIND = "phida.embeddings.Reducer"

#: Values of rows that principal components are computed from at a time.
_TOGETHER = 1 << 22


class Reducer(TransformerMixin, BaseEstimator):
    """A dimension reduction for cosine similarity, learned from the first rows of a stream.

    Clusters of a model stay valid only if the axes of its rows stay. The first call of ``partial_fit`` learns the
    reduction; later ones change nothing. Rows are scaled to length 1 before the reduction, and
    after it unless it is UMAP's.

    Parameters
    ----------
    method : {"pca", "random", "umap"}, default="pca"
        ``"pca"``: principal components, or for sparse rows, such as those of TF-IDF, the truncated SVD (latent semantic
        analysis). ``"random"``: Gaussian random projection. ``"umap"``: UMAP with cosine distances, 15 neighbours and
        ``min_dist=0``.
    n_components : int, default=64
        Dimensions after the reduction.
    random_state : int, default=0
        Seed of ``"random"``, of ``"umap"`` and of the truncated SVD.

    Attributes
    ----------
    n_features_in_ : int
        Dimensions before the reduction.
    mean_ : ndarray of shape (n_features_in_,)
        Mean of the rows of length 1; zeros for ``"random"`` and sparse rows.
    components_ : ndarray of shape (n_components, n_features_in_)
        Axes of ``"pca"`` and ``"random"``.
    umap_ : umap.UMAP
        The fitted model of ``"umap"``.

    Examples
    --------
    >>> import numpy as np
    >>> from phida import PHIDAPlus
    >>> from phida.embeddings import Reducer
    >>> rng = np.random.default_rng(0)
    >>> subjects = rng.normal(size=(4, 256))
    >>> reducer, model = Reducer(n_components=16), PHIDAPlus()
    >>> for batch in range(5):
    ...     rows = subjects[rng.integers(4, size=200)] + 0.5 * rng.normal(size=(200, 256))
    ...     model = model.partial_fit(reducer.partial_fit(rows).transform(rows))
    >>> model.n_clusters_
    4
    """

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012 - scikit-learn's name
        "method": [StrOptions({"pca", "random", "umap"})],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Interval(Integral, 0, None, closed="left")],
    }

    mean_: NDArray[np.float64]
    components_: NDArray[np.float64]
    umap_: Any

    def __init__(self, method: str = "pca", n_components: int = 64, random_state: int = 0) -> None:
        self.method = method
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the reduction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            ``"pca"`` and ``"umap"`` need at least ``n_components`` rows; some thousands are better.
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        rows = self._validated(X, reset=True, keep_float32=self.method == "pca" and not issparse(X))
        width = rows.shape[1]
        if self.method == "random":
            rng = np.random.default_rng(self.random_state)
            self.mean_ = np.zeros(width)
            self.components_ = rng.normal(size=(self.n_components, width)) / np.sqrt(self.n_components)
            return self
        if self.n_components > min(rows.shape):
            raise InputError(
                f"n_components={self.n_components} needs at least {self.n_components} rows and features; X has shape "
                f"{rows.shape}. Pass more rows to the first call, or lower n_components."
            )
        if issparse(rows):  # centring would make it dense
            svd = TruncatedSVD(self.n_components, random_state=self.random_state).fit(_of_length_1(rows))
            self.mean_, self.components_ = np.zeros(width), np.ascontiguousarray(svd.components_)
        elif self.method == "pca":
            self.mean_ = np.sum([block.sum(axis=0) for block in _blocks(rows)], axis=0) / len(rows)
            scatter = np.zeros((width, width))
            for block in _blocks(rows):
                scatter += (block - self.mean_).T @ (block - self.mean_)
            axes = np.linalg.eigh(scatter)[1][:, ::-1].T[: self.n_components]
            largest = np.abs(axes).argmax(axis=1)
            signs = np.sign(axes[np.arange(len(axes)), largest])  # the sign of an axis is arbitrary
            self.components_ = np.ascontiguousarray(axes * signs[:, None])
        else:
            self.umap_ = _umap(self.n_components, self.random_state).fit(_of_length_1(rows))
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn the reduction from the first batch; later calls change nothing.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Reduce rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        reduced : ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = self._validated(X, reset=False, keep_float32=True)
        return self._reduced(rows) if issparse(rows) else _validation.by_parts(self._reduced, rows)

    def _reduced(self, rows: Any) -> NDArray[np.float64]:
        rows = _of_length_1(rows)
        if self.method == "umap":
            return np.asarray(self.umap_.transform(rows), np.float64)
        return _of_length_1(np.asarray(rows @ self.components_.T - self.components_ @ self.mean_))  # type: ignore[no-any-return]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save a linear reduction to a file of the safetensors format, which holds no code.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        phida.ParameterError
            The method is ``"umap"``: its models are not plain data. Use joblib.
        """
        check_is_fitted(self)
        if self.method == "umap":
            raise ParameterError("a UMAP model is not plain data and cannot be saved here; use joblib.dump.")
        facts = {"kind": _KIND, "params": json.dumps(self.get_params())}
        state_file.replace(path, packed({"mean": self.mean_, "components": self.components_}, facts))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a reduction that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        phida.StateFileError
            The file is damaged, or is not a reduction.
        """
        content = Path(path).read_bytes()
        try:
            facts = metadata_of(content)
            if facts.get("kind") != _KIND:
                raise ValueError("it is another file")
            reducer = cls(**json.loads(facts["params"]))
            arrays = arrays_of(content)
            mean, components = arrays["mean"], arrays["components"]
            reducer._validate_params()
            if components.shape != (reducer.n_components, len(mean)) or mean.ndim != 1:
                raise ValueError("its arrays have the wrong shape")
            if not (np.isfinite(mean).all() and np.isfinite(components).all()):
                raise ValueError("its values are not finite")
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise StateFileError(f"{os.fspath(path)} does not hold a reduction ({error}).") from error
        reducer.mean_, reducer.components_ = mean, components
        reducer.n_features_in_ = len(mean)
        return reducer

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return names of the reduced features.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of str
        """
        return np.array([f"reducer{i}" for i in range(self.n_components)], dtype=object)

    def _validated(self, X: Any, *, reset: bool, keep_float32: bool = False) -> Any:
        sparse = ["csr"] if self.method == "pca" else False
        if issparse(X) and not sparse:
            raise TypeError(
                f'Sparse data was passed for X, but method="{self.method}" needs dense rows; use method="pca", '
                "which takes sparse ones."
            )
        kinds = [np.float64, np.float32] if keep_float32 else np.float64
        return validate_data(self, X, reset=reset, dtype=kinds, accept_sparse=sparse)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_") or hasattr(self, "umap_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.method == "pca"
        return tags


def _blocks(rows: NDArray[Any]) -> Iterator[NDArray[np.float64]]:
    """Yield rows scaled to length 1, a block at a time, which avoids copies of all rows."""
    size = max(1, _TOGETHER // rows.shape[1])
    for first in range(0, len(rows), size):
        yield _of_length_1(rows[first : first + size].astype(np.float64, copy=False))


def _of_length_1(rows: Any) -> Any:
    """Return rows scaled to length 1; rows of zeros stay zero."""
    if issparse(rows):
        lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        return diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ rows
    lengths = np.linalg.norm(rows, axis=1)
    return rows / np.where(lengths > 0, lengths, 1.0)[:, None]


def _umap(n_components: int, seed: int) -> Any:
    try:
        from umap import UMAP
    except ModuleNotFoundError as error:
        raise ImportError('method="umap" needs umap-learn: pip install "phida[embeddings]"') from error
    return UMAP(n_components=n_components, n_neighbors=15, min_dist=0.0, metric="cosine", random_state=seed, n_jobs=1)
