"""The compared systems that need the whole data set; they run only in the stationary setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phida_bench import systems
from phida_bench.methods.estimators import BatchSystem
from phida_bench.methods.interface import Method, Suggest, Task


def _torque(task: Task) -> BatchSystem:
    return BatchSystem(systems.TorqueClustering(max_memory=task.memory))


def _automato(task: Task) -> BatchSystem:
    return BatchSystem(systems.AuToMATo(random_state=task.seed))


def _tbm_p(task: Task) -> BatchSystem:
    return BatchSystem(systems.TopoBARTMAP(**task.parameters))


def _tbm_p_space(suggest: Suggest) -> dict[str, Any]:
    """Suggested in the specification; the paper's is unknown."""
    unit = {name: suggest.suggest_float(name, 0.0, 1.0) for name in ("rho_a", "rho_b", "bsb_a", "bsb_b")}
    sizes = {name: suggest.suggest_int(name, 0, 10) for name in ("phi_a", "phi_b")}
    periods = {name: suggest.suggest_float(name, 0.05, 1.0) for name in ("tau_a", "tau_b")}
    return {**unit, **sizes, **periods, "eta": suggest.suggest_float("eta", -1.0, 1.0)}


def _sr_pcm_hdp(task: Task) -> BatchSystem:
    return BatchSystem(systems.SRPCMHDP(**task.parameters, random_state=task.seed))


def _sr_pcm_hdp_space(suggest: Suggest) -> dict[str, Any]:
    """Suggested in the specification; the original picks its high-density points by hand."""
    return {
        "n_high_density_points": suggest.suggest_int("n_high_density_points", 2, 50, log=True),
        "alpha": suggest.suggest_float("alpha", 0.1, 10.0, log=True),
        "lam": suggest.suggest_float("lam", 0.0, 10.0),
    }


def _tabledc(task: Task) -> BatchSystem:
    model = systems.TableDC(task.n_classes or 1, random_state=task.seed, max_memory=task.memory)
    return BatchSystem(model)


def _g_ceals(task: Task) -> BatchSystem:
    return BatchSystem(systems.GCEALS(task.n_classes or 1, random_state=task.seed))


def _batch(name: str, order: int, summary: str, make: Callable[[Task], BatchSystem], **more: Any) -> Method:
    return Method(name, "batch", order, summary, make, settings=("stationary",), published=name, **more)


METHODS = (
    _batch(
        "TC",
        40,
        "Torque Clustering, nothing to tune and nothing random",
        _torque,
        fixed="rows in the data set's own order, which decides where distances tie",
        deterministic=True,
    ),
    _batch(
        "AuToMATo",
        41,
        "ToMATo with a bootstrapped threshold",
        _automato,
        fixed="10 neighbours, 1000 resamples, alpha 0.35",
        requires={"gudhi": "tda"},
    ),
    _batch(
        "TBM-P",
        42,
        "TopoBARTMAP, tuned",
        _tbm_p,
        space=_tbm_p_space,
        starts=(
            {"rho_a": 0.8, "rho_b": 0.5, "bsb_a": 0.25, "bsb_b": 0.5, "phi_a": 3, "phi_b": 1}
            | {"tau_a": 0.2, "tau_b": 0.5, "eta": 0.0},
        ),
    ),
    _batch(
        "SR-PCM-HDP",
        43,
        "Possibilistic c-means drawn to high-density points, tuned; the points are chosen by rule",
        _sr_pcm_hdp,
        space=_sr_pcm_hdp_space,
        fixed="high-density points are the rows with the largest density times separation; the original's are picked "
        "by hand",
        starts=({"n_high_density_points": 6, "alpha": 5.3, "lam": 1.5},),
    ),
    _batch(
        "TableDC",
        44,
        "Cauchy affinities in an autoencoder's embedding, given K",
        _tabledc,
        fixed="raw features, embedding of 100, 30 epochs of pre-training in batches of 256, 200 of clustering on all "
        "rows, Adam at 1e-3",
        needs_class_count=True,
        requires={"jax": "deep"},
    ),
    _batch(
        "G-CEALS",
        45,
        "Gaussian clusters in an autoencoder's embedding, given K",
        _g_ceals,
        fixed="standardised features, embedding of 10, 100 epochs of pre-training in batches of 256, 100 of "
        "clustering, Adam at 1e-3",
        needs_class_count=True,
        requires={"jax": "deep"},
    ),
)
