"""Random input for the learner of PHIDA+: rows of several kinds, weights, orders and settings."""

import numpy as np
import strategies
from hypothesis import strategies as st

from phida import _core


def tiny(rng, n, d):
    """Return groups far smaller than their distance from zero."""
    return 1e3 + 1e-9 * strategies.clustered(rng, n, d)


def outliers(rng, n, d):
    """Return rows with one outlier in ten, up to the largest allowed value."""
    rows = strategies.clustered(rng, n, d)
    rows[rng.random(n) < 0.1] *= 10.0 ** rng.integers(1, 139)
    return rows


def by_class(rng, n, d):
    rows = strategies.clustered(rng, n, d)
    return rows[np.argsort(rows[:, 0] // 8, kind="stable")]


def drifting(rng, n, d):
    return np.linspace(0, 20, n)[:, None] + rng.normal(size=(n, d))


KINDS = [
    strategies.normal,
    strategies.scaled,
    strategies.clustered,
    strategies.duplicated,
    strategies.constant_columns,
    strategies.all_equal,
    strategies.tied,
    strategies.grid,
    tiny,
    outliers,
    by_class,
    drifting,
]

streams = strategies.rows(st.sampled_from(KINDS), n=(1, 300))
#: Arguments of FineNodes and of the native PlusLearner.
settings_of_learners = st.fixed_dictionaries(
    {
        "max_nodes": st.sampled_from([8, 9, 16, 37, 64]),
        "half_life": st.sampled_from([0.0, 0.0, 3.0, 25.0, 400.0]),
        "scale": st.sampled_from(["auto", "auto", "standard", "none"]),
    }
)


@st.composite
def weights(draw, n):
    """Draw None, whole numbers, or weights over several orders of magnitude."""
    rng = np.random.default_rng(draw(strategies.seeds))
    kind = draw(st.sampled_from(["none", "whole", "real"]))
    if kind == "none":
        return None
    return rng.integers(1, 5, size=n).astype(float) if kind == "whole" else 10.0 ** rng.uniform(-3, 3, size=n)


@st.composite
def weighted_streams(draw):
    rows = draw(streams)
    return rows, draw(weights(len(rows)))


def native_learner(n_features, arguments):
    """Return a native learner with the settings of an oracle."""
    scale = ("auto", "standard", "none").index(arguments.get("scale", "auto"))
    return _core.PlusLearner(n_features, **arguments | {"scale": scale})
