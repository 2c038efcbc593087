"""The estimators, for tests of what holds for all of them."""

from functools import partial

import pytest

from phida import PHIDA, PHIDAPlus
from phida_bench import ReleasedPHIDA

#: What makes a model, by name. PHIDA+ reads its clusters at two levels.
MAKERS = {
    "PHIDA": PHIDA,
    "ReleasedPHIDA": ReleasedPHIDA,
    "groups": PHIDAPlus,
    "parts": partial(PHIDAPlus, level="parts"),
}

each_kind = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
each_estimator = pytest.mark.parametrize("estimator", [PHIDA, PHIDAPlus], ids=["PHIDA", "PHIDAPlus"])
