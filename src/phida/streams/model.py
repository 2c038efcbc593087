"""A model that is fed matrices, and knows the names of their columns all the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from phida import state_file
from phida._estimator import Estimator
from phida.estimators import load
from phida.streams.batch import DataError


class StreamModel:
    """An estimator with the names of its features beside it: scikit-learn would check them at every batch."""

    def __init__(self, estimator: Estimator, names: Sequence[str] | None, position: Any = None) -> None:
        self.estimator = estimator
        self.names = None if names is None else tuple(names)
        self.position = position
        """Where in its stream it stands, if it is a checkpoint."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """From a file."""
        estimator: Estimator = load(path).set_params(compute_labels=False)
        position = state_file.read(path)[1]["stream_position"]
        return cls(estimator._with_names(None), getattr(estimator, "feature_names_in_", None), position)

    def save(self, path: str | os.PathLike[str], position: Any = None) -> None:
        """To a file, with the names."""
        named = self.estimator._with_names(self.names).set_params(compute_labels=True)
        named.save(path, position=position)

    @property
    def fitted(self) -> bool:
        """Whether there is anything to save or predict by."""
        return self.estimator.__sklearn_is_fitted__()

    def learn(self, rows: NDArray[np.float64]) -> None:
        """Go on learning."""
        self.estimator.partial_fit(rows)

    def labels(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Clusters, as the model sees them now."""
        return self.estimator.predict(rows)

    def ids(self, rows: NDArray[np.float64]) -> NDArray[np.int64]:
        """Clusters, by the ids that they keep."""
        return self.estimator.predict_id(rows)

    def check_width(self, columns: int) -> None:
        """Refuse rows of another width before any is read."""
        if self.fitted and columns != self.estimator.n_features_in_:
            raise DataError(
                f"the model has {self.estimator.n_features_in_} features, but {columns} columns were chosen; "
                "choose with --columns or --exclude."
            )
