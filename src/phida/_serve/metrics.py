"""Metrics in the text format of Prometheus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from phida._serve.learning import ENDED, FAILED, LEARNING, PAUSED

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(facts: dict[str, Any], listeners: int, seconds: float) -> str:
    """Return metrics of the latest snapshot and of the server."""
    lines: list[str] = []

    def put(name: str, kind: str, help: str, values: Iterable[tuple[str, Any]]) -> None:
        found = [f"phida_{name}{labels} {value}" for labels, value in values if value is not None]
        if found:
            lines.extend([f"# HELP phida_{name} {help}", f"# TYPE phida_{name} {kind}", *found])

    def one(name: str, kind: str, help: str, value: Any) -> None:
        put(name, kind, help, [("", value)])

    one("rows_total", "counter", "Rows read in this run.", facts["rows"])
    one("bad_rows_total", "counter", "Rows left out in this run because they could not be read.", facts["bad_rows"])
    one("samples_total", "counter", "Rows that the model has learned in its life.", facts["samples"])
    one("rows_per_second", "gauge", "Rows read a second, of late.", facts["rate"])
    states = [(f'{{state="{state}"}}', int(facts["state"] == state)) for state in (LEARNING, PAUSED, ENDED, FAILED)]
    put("state", "gauge", "1 for the state that the stream is in.", states)
    if facts["samples"]:
        one("nodes", "gauge", "Learned nodes.", facts["n_nodes"])
        one("active_nodes", "gauge", "Nodes active for prediction.", facts["n_active_nodes"])
        one("components", "gauge", "PH components.", facts["n_components"])
        one("clusters", "gauge", "Output clusters.", facts["n_clusters"])
        one("vigilance", "gauge", "Similarity below which a row becomes a node.", facts["vigilance"])
        one("interval_rows", "gauge", "Rows between two adjustments of the vigilance.", facts["interval"])
        one("events_total", "counter", "Events of the clusters' lineage.", facts["n_events"])
        rows: Counter[int] = Counter()  # as long as a split is not confirmed, clusters share an id
        for cluster in facts["clusters"]:
            rows[cluster["id"]] += cluster["rows"]
        by_id = [(f'{{cluster="{id}"}}', won) for id, won in rows.items()]
        put("cluster_rows", "gauge", "Rows that each of the largest clusters won, by id.", by_id)
    one("snapshot_seconds", "gauge", "Processor time that the latest snapshot took.", f"{seconds:.6f}")
    one("listeners", "gauge", "Pages that look on.", listeners)
    return "\n".join(lines) + "\n"
