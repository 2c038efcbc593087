"""The compared systems that learn online."""

from __future__ import annotations

from typing import Any

import numpy as np

from phida_bench import systems
from phida_bench.methods.estimators import OnlineSystem
from phida_bench.methods.interface import Method, Suggest, Task
from phida_bench.protocol import ALL_SETTINGS


def _gng(task: Task) -> OnlineSystem:
    return OnlineSystem(systems.GNG(**task.parameters, compute_labels=False))


def _gng_space(suggest: Suggest) -> dict[str, Any]:
    """Suggested in the specification; the paper's is unknown. The published node counts show lam down to 3."""
    return {
        "lam": suggest.suggest_int("lam", 2, 500, log=True),
        "a_max": suggest.suggest_int("a_max", 1, 100, log=True),
        "eps_b": suggest.suggest_float("eps_b", 0.01, 0.5, log=True),
        "eps_n": suggest.suggest_float("eps_n", 1e-4, 0.1, log=True),
    }


def _soinn_plus(task: Task) -> OnlineSystem:
    return OnlineSystem(systems.SOINNPlus(**task.parameters, compute_labels=False))


def _ddvfa(task: Task) -> OnlineSystem:
    model = systems.DDVFA(**task.parameters, feature_range=np.array(task.feature_range), compute_labels=False)
    return OnlineSystem(model, nodes=None)


def _ddvfa_space(suggest: Suggest) -> dict[str, Any]:
    """Suggested in the specification; the paper's is unknown."""
    lower = suggest.suggest_float("rho_lb", 0.0, 1.0)
    return {"rho_lb": lower, "rho_ub": suggest.suggest_float("rho_ub", lower, 1.0)}


def _caea(task: Task) -> OnlineSystem:
    return OnlineSystem(systems.CAEA(**task.parameters, compute_labels=False))


def _caea_space(suggest: Suggest) -> dict[str, Any]:
    """Suggested in the specification: earlier papers go to 100 and 20; the published node counts need more."""
    return {
        "lam": suggest.suggest_int("lam", 4, 500, log=True),
        "age_max": suggest.suggest_int("age_max", 1, 100, log=True),
    }


def _cae(task: Task) -> OnlineSystem:
    return OnlineSystem(systems.CAE(compute_labels=False))


def _idat(task: Task) -> OnlineSystem:
    return OnlineSystem(systems.IDAT(compute_labels=False), nodes="n_active_nodes_")


_GNG_STARTS = (
    {"lam": 100, "a_max": 50, "eps_b": 0.2, "eps_n": 0.006},
    *({"lam": 3, "a_max": a_max, "eps_b": 0.05, "eps_n": 0.006} for a_max in (1, 2, 5)),
)
_CAEA_STARTS = ({"lam": 28, "age_max": 10}, {"lam": 90, "age_max": 16})

METHODS = (
    Method(
        "GNG",
        "online",
        30,
        "Growing Neural Gas, tuned",
        _gng,
        published="GNG",
        settings=ALL_SETTINGS,
        space=_gng_space,
        starts=_GNG_STARTS,
    ),
    Method(
        "SOINN+",
        "online",
        31,
        "SOINN+ as described, nothing to tune",
        _soinn_plus,
        published="SOINN+",
        settings=ALL_SETTINGS,
    ),
    Method(
        "DDVFA",
        "online",
        32,
        "Distributed Dual Vigilance Fuzzy ART, tuned; the range of each feature is known beforehand",
        _ddvfa,
        published="DDVFA",
        settings=ALL_SETTINGS,
        space=_ddvfa_space,
        starts=({"rho_lb": 0.7, "rho_ub": 0.85}, {"rho_lb": 0.8, "rho_ub": 0.85}),
    ),
    Method(
        "CAEA",
        "online",
        33,
        "CIM-based ART with edge and age, tuned",
        _caea,
        published="CAEA",
        settings=ALL_SETTINGS,
        space=_caea_space,
        starts=_CAEA_STARTS,
    ),
    Method(
        "CAE", "online", 34, "CIM-based ART with edge, nothing to tune", _cae, published="CAE", settings=ALL_SETTINGS
    ),
    Method(
        "IDAT",
        "online",
        35,
        "Inverse-distance ART with topology, nothing to tune",
        _idat,
        published="IDAT",
        settings=ALL_SETTINGS,
    ),
)
