"""Tables of mixed types as rows of numbers, for clustering."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from phida import _validation, state_file
from phida._encoding import MOST_CATEGORIES, Encoding, are_iso_dates, columns_of, weights_of
from phida._preparation import Preparation
from phida.errors import InputError, StateFileError

__all__ = ["TableEncoder"]

Floats = NDArray[np.float64]


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode a table of numbers, categories, booleans and dates as numbers whose distances are comparable.

    ============ =====================================================================================
    column       becomes
    ============ =====================================================================================
    numbers      one feature with mean 0 and standard deviation 1
    categories   one feature per category, and one for all others; two categories are one unit apart
    booleans     one feature, 0 or 1
    dates        sine and cosine of hour, weekday and day of year, as far as they vary; noon and midnight
                 are one unit apart
    ============ =====================================================================================

    The first ``fit`` or ``partial_fit`` decides the type and the categories of each column, so that the number of
    features never changes. Later calls of ``partial_fit`` only update means and standard deviations. Later categories
    count as others.

    A missing value is in the middle: the mean of a number, halfway between true and false, equally far from all
    categories, and the centre of a cycle.

    Fit the model with ``scale=None``: the features are scaled already.

    Parameters
    ----------
    categories : dict of str to float, or sequence of str, optional
        Columns to encode as categories, also if they hold numbers, and their weights: with weight 2, two categories
        are two units apart. Other columns of text are categories with weight 1, also those of dates as text, with a
        warning: convert such a column first (``pandas.to_datetime``), or name it here.
    max_categories : int, default=32
        Maximum number of categories per column that have a feature of their own, the most frequent first.

    Attributes
    ----------
    kinds_ : tuple of str
        Type of each column: number, category, boolean or date.
    categories_ : dict of str to tuple
        Categories of each such column that have a feature of their own.
    n_features_in_ : int
    feature_names_in_ : ndarray

    Examples
    --------
    >>> import pandas as pd
    >>> from phida.preprocessing import TableEncoder
    >>> table = pd.DataFrame({"age": [20, 40, 60], "plan": ["basic", "pro", "basic"]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['age', 'plan=basic', 'plan=pro', 'plan: other']
    >>> encoder.transform(table).round(2).tolist()
    [[-1.22, 0.71, 0.0, 0.0], [0.0, 0.0, 0.71, 0.0], [1.22, 0.71, 0.0, 0.0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categories": [dict, "array-like", None],
        "max_categories": [Interval(Integral, 1, MOST_CATEGORIES, closed="both")],
    }

    kinds_: tuple[str, ...]
    categories_: dict[str, tuple[str, ...]]
    _encoding: Encoding

    def __init__(
        self, *, categories: Mapping[str, float] | Sequence[str] | None = None, max_categories: int = 32
    ) -> None:
        self.categories = categories
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset, and learn types, categories and scales of the columns.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self.__dict__.pop("kinds_", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the scales of the numbers. The first call learns the types and categories.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        self._validate_params()
        begins = not hasattr(self, "kinds_")
        columns = columns_of(X)
        if not len(columns[0][1]):
            raise InputError(f"X has 0 sample(s) (shape={np.shape(X)}) while a minimum of 1 is required.")
        if not begins:
            _validation.record(self, X, reset=False)
            self._encoding.learn(columns)
            return self
        weights = weights_of(self.categories, [name for name, _ in columns])
        encoding = Encoding.begun(columns, weights, self.max_categories)
        encoding.learn(columns)
        _validation.record(self, X, reset=True)
        self._take(encoding)
        for name, values in columns:
            if name in self.categories_ and name not in weights and are_iso_dates(values):
                warnings.warn(
                    f"column {name!r} holds dates as text, which are encoded as categories. To encode them as dates, "
                    "convert the column with pandas.to_datetime.",
                    stacklevel=2,
                )
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load the encoder that a model was saved with.

        Parameters
        ----------
        path : path-like
            File written by ``save(path, encoder=...)`` of a model, or by ``phida fit --categories``.
        """
        plain = (state_file.read(path)[1].get("preparation") or {}).get("encode")
        if plain is None:
            raise StateFileError(f"{os.fspath(path)} holds a model without an encoder.")
        encoding = Encoding.from_plain(plain)
        made = cls(categories={c.name: c.weight for c in encoding.columns if c.kind == "category"} or None)
        made.feature_names_in_ = np.array(encoding.names, dtype=object)
        made.n_features_in_ = len(encoding.names)
        made._take(encoding)
        return made

    def transform(self, X: Any) -> Floats:
        """Encode a table.

        Parameters
        ----------
        X : data frame or array of shape (n_samples, n_features)
            With the columns of :meth:`fit`.

        Returns
        -------
        rows : ndarray of shape (n_samples, n_features_out)
        """
        check_is_fitted(self, "kinds_")
        columns = columns_of(X)
        _validation.record(self, X, reset=False)
        return self._encoding.rows(columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return names of the encoded features.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        names : ndarray of str
        """
        check_is_fitted(self, "kinds_")
        return np.array(self._encoding.features(), dtype=object)

    def _preparation(self) -> Preparation:
        made = Preparation()
        made.encoding = self._encoding
        return made

    def _take(self, encoding: Encoding) -> None:
        self._encoding = encoding
        self.kinds_ = tuple(column.kind for column in encoding.columns)
        self.categories_ = {c.name: c.categories for c in encoding.columns if c.kind == "category"}
