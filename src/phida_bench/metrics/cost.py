"""What learning cost."""

from phida_bench.metrics.interface import Metric

METRICS = (
    Metric("fit_seconds", "Time (s)", 20, lambda e: sum(e.record.learn_seconds), "lower", 3),
    Metric(
        "peak_memory",
        "Memory (MiB)",
        21,
        lambda e: None if e.record.peak_memory is None else e.record.peak_memory / 2**20,
        "lower",
        1,
    ),
)
