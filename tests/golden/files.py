"""The golden files, their data sets, and the order of their rows."""

import json
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import sklearn.datasets

HERE = Path(__file__).resolve().parent
BUNDLED = HERE / "data"
#: The project's shared folder: next to the repository, or PHIDA_SHARED.
SHARED = Path(os.environ.get("PHIDA_SHARED", HERE.parents[2] / "shared"))
HAS_SHARED = (SHARED / "golden").is_dir() and (SHARED / "datasets").is_dir()
WITHOUT_SHARED = f"no golden and datasets folders in {SHARED}; set PHIDA_SHARED to where they are"


class Golden(NamedTuple):
    dataset: str
    setting: str
    mode: str

    @property
    def name(self):
        return ".".join(self)

    @property
    def folder(self):
        return BUNDLED if self.dataset.startswith("sklearn_") else SHARED / "golden"

    def runs(self):
        """Return the state after each stage and the final labels, per seed."""
        runs = json.loads((self.folder / f"{self.name}.json").read_text())["runs"]
        with np.load(self.folder / f"{self.name}.labels.npz") as labels:
            return [(run["seed"], run["stages"], labels[f"labels_{run['seed']}"]) for run in runs]


def golden_files():
    """Return every golden file as a parameter; a skipped one represents the missing files."""
    folders = [BUNDLED, SHARED / "golden"] if HAS_SHARED else [BUNDLED]
    names = sorted({path.name.removesuffix(".json") for folder in folders for path in folder.glob("*.json")})
    files = [pytest.param(Golden(*name.split(".")), id=name) for name in names]
    if not HAS_SHARED:
        files.append(pytest.param(None, id="shared", marks=pytest.mark.skip(reason=WITHOUT_SHARED)))
    return files


def load(dataset):
    """Return rows and classes of a data set, in the order of its source."""
    if dataset.startswith("sklearn_"):
        X, y = getattr(sklearn.datasets, f"load_{dataset.removeprefix('sklearn_')}")(return_X_y=True)
    else:
        folder = SHARED / "datasets"
        path = folder / f"{dataset}.npz"
        with np.load(path if path.exists() else folder / "shapes" / path.name) as archive:
            X, y = archive["X"], archive["y"]
    return np.ascontiguousarray(X, dtype=np.float64), y


def stages(X, y, setting, seed):
    """Return the rows of each stage, in the order fed: shuffled, or class by class."""
    if setting == "stationary":
        # The permutation of np.random.seed(seed); np.random.permutation(n), without the global generator.
        return [X[np.random.RandomState(seed).permutation(len(X))]]
    classes = np.unique(y)
    return [X[y == c] for c in classes[np.random.RandomState(seed).permutation(len(classes))]]
