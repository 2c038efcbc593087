"""Merging of separately trained models: a new model learns rows sampled from their nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

State = Mapping[str, Any]


def replayed_rows(states: Sequence[State], n_rows: int, random_state: int) -> NDArray[np.float64]:
    """Rows in place of those that the models learned, well mixed.

    Each model has a share by the rows that it counts, and each of its nodes by its support. A node's rows are normal
    around its mean, with its variance in each feature.
    """
    rng = np.random.default_rng(random_state)
    weight = np.concatenate([s["support"] / s["support"].sum() * s["stream_count"] for s in states])
    mean = np.concatenate([s["mean"] for s in states])
    freedom = np.concatenate([np.maximum(s["support"] - 1.0, 1.0) for s in states])
    deviation = np.sqrt(np.concatenate([s["m2"] for s in states]) / freedom[:, None])
    nodes = rng.permutation(np.repeat(np.arange(len(weight)), _shares(weight, n_rows)))
    rows: NDArray[np.float64] = mean[nodes] + deviation[nodes] * rng.standard_normal((n_rows, mean.shape[1]))
    return rows


def _shares(weight: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    """Whole numbers in proportion to the weights; what rounding leaves over goes to the largest remainders."""
    exact = weight / weight.sum() * n_rows
    shares: NDArray[np.int64] = np.floor(exact).astype(np.int64)
    left_over = n_rows - int(shares.sum())
    shares[np.argsort(shares - exact, kind="stable")[:left_over]] += 1
    return shares


def scaled(state: State, n_seen: int) -> dict[str, Any]:
    """The state with supports and moments as of so many rows; supports stay whole and at least 1.

    Where rows fade, supports say what is left of the latest ones, however many there were: these stay.
    """
    rows = {"node_won": _shares(state["node_won"], round(state["node_won"].sum() * n_seen / state["n_seen"]))}
    if state["half_life"]:
        longer = n_seen / state["n_seen"]
        return (
            dict(state)
            | rows
            | {
                "birth": np.floor(state["birth"] * longer).astype(np.int64),
                "n_seen": n_seen,
                "metric_step": state["metric_step"] + n_seen - state["n_seen"],
            }
        )
    factor = n_seen / state["stream_count"]
    support = np.maximum(np.floor(state["support"] * factor), 1.0)
    return (
        dict(state)
        | rows
        | {
            **(_scaled_pairs(state, factor) if state["plus"] else {}),
            "support": support,
            "m2": state["m2"] * (support / state["support"])[:, None],
            "birth": np.floor(state["birth"] * factor).astype(np.int64),
            "stream_count": float(n_seen),
            "stream_m2": state["stream_m2"] * factor,
            "n_seen": n_seen,
            "metric_step": state["metric_step"] + n_seen - state["n_seen"],  # as old as it was
        }
    )


def _scaled_pairs(state: State, factor: float) -> dict[str, Any]:
    """The counts of pairs as of ``factor`` times as many rows, with the same mean offsets; counts stay whole."""
    count = np.floor(state["pair_count"] * factor).astype(np.int64)
    kept = count > 0
    share = count[kept] / state["pair_count"][kept]
    return {
        **{name: state[name][kept] for name in ("pair_winner", "pair_runner_up")},
        **{name: state[name][kept] * share for name in ("pair_offset", "pair_offset_square")},
        "pair_count": count[kept],
        "pair_unpaired": np.floor(state["pair_unpaired"] * factor).astype(np.int64),
    }


def restart_lineage(state: State, cluster: NDArray[np.int64]) -> dict[str, Any]:
    """The state with a lineage that begins here: what became of clusters while rows were replayed never happened.

    All clusters are born at the last row, and history has one milestone. Needs a state that has just been refreshed,
    and the cluster of each node, -1 for none.
    """
    cluster_id = cluster.astype(np.int64)
    n_ids, n_seen = int(cluster_id.max()) + 1, state["n_seen"]
    ids = np.arange(n_ids)
    support = np.array([state["support"][cluster_id == i].sum() for i in ids])
    rows = np.array([state["node_won"][cluster_id == i].sum() for i in ids], dtype=np.int64)
    milestone = {
        "history_sample": n_seen,
        "history_n_nodes": len(cluster_id),
        "history_n_clusters": n_ids,
        **{f"history_{name}": state[name] for name in ("n_components", "vigilance", "interval")},
    }
    return dict(state) | {
        "cluster_id": cluster_id,
        "node_parent_id": np.full_like(cluster_id, -1),
        "node_candidate": np.full_like(cluster_id, -1),
        "node_won_mapped": state["node_won"].copy(),
        "node_recent": np.zeros(len(cluster_id)),
        "node_away": np.zeros_like(cluster_id),
        "n_candidates": 0,
        **{name: state[name][:0] for name in state if name.startswith("candidate_")},
        "n_ids": n_ids,
        "lineage_sample": n_seen,
        "living_id": ids,
        "living_support": support,
        **dict.fromkeys(("living_rows", "living_settled"), rows),
        **{f"living_{name}": np.zeros(n_ids) for name in ("rate_won", "rate_of", "missed", "gained", "lost")},
        "living_last_won": np.full(n_ids, n_seen),
        "living_ended": np.zeros(n_ids, dtype=np.uint8),
        "event_kind": np.zeros(n_ids, dtype=np.uint8),  # born
        **dict.fromkeys(("event_sample", "event_confirmed"), np.full(n_ids, n_seen)),
        "event_n_before": np.zeros(n_ids, dtype=np.int64),
        "event_n_after": np.ones(n_ids, dtype=np.int64),
        "event_support": support.copy(),
        "event_ids": ids.copy(),
        "events_dropped": 0,
        "n_refreshes": 1,
        "history_stride": 1,
        **{name: np.array([value]) for name, value in milestone.items()},
    }
