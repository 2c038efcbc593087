"""The estimators, for tests of their common behaviour."""

from functools import partial

import pytest

from phida import PHIDA, PHIDAPlus

#: Functions that make a model, by name. With few nodes, PHIDA+ merges nodes even in short streams.
MAKERS = {
    "PHIDA": PHIDA,
    "PHIDAPlus": PHIDAPlus,
    "few nodes": partial(PHIDAPlus, max_nodes=16),
}

each_kind = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
each_estimator = pytest.mark.parametrize("estimator", [PHIDA, PHIDAPlus], ids=["PHIDA", "PHIDAPlus"])
