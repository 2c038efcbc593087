"""The cost of learning."""

from phida_bench.metrics.interface import Evaluation, Metric
from phida_bench.protocol import ORDERS


def _microseconds(evaluation: Evaluation) -> float:
    """Microseconds per row for learning and labelling."""
    record = evaluation.record
    return 1e6 * (sum(record.learn_seconds) + record.label_seconds[-1]) / len(evaluation.truth)


METRICS = (
    Metric("fit_seconds", "Time (s)", 20, lambda e: sum(e.record.learn_seconds), "lower", 3),
    Metric("us_per_row", "µs a row", 22, _microseconds, "lower", 1, ORDERS),
    Metric(
        "peak_memory",
        "Memory (MiB)",
        21,
        lambda e: None if e.record.peak_memory is None else e.record.peak_memory / 2**20,
        "lower",
        1,
    ),
)
