"""Distances that overflow: allowed values on scales so different that the transformation makes them infinite.

They run in a process of their own, which an error may crash.
"""

import subprocess
import sys

import pytest

GRAPH = """
import numpy as np
from phida import _core

rng = np.random.default_rng(0)
rows = rng.normal(size=(11, 4)) * [1e-300, 2e139, 1.0, 1.0]
rows[::7, 0] = 1e139
graph = _core.knn_graph(rows, np.abs(rows) + 1, np.full(11, 3.0), 30.0, np.ones(4))
assert graph["candidate"].min() >= 0 and graph["candidate"].max() < 11
"""

STREAMS = """
import numpy as np
from phida import PHIDA, PHIDAPlus

for seed in range(300):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(25, 6)) * 10.0 ** rng.integers(-300, 100, size=6)
    for column in rng.integers(6, size=2):
        rows[rng.integers(25, size=3), column] = rng.choice([1e140, -1e140])
    for model in (PHIDA(), PHIDAPlus(), PHIDAPlus(max_nodes=8)):
        model.fit(rows)
        assert 0 <= model.labels_.min() and model.labels_.max() < model.n_clusters_
"""


@pytest.mark.parametrize("code", [GRAPH, STREAMS], ids=["graph", "streams"])
def test_overflowing_distances_do_no_harm(code):
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
