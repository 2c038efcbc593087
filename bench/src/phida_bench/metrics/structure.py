"""The size of the learned structure."""

from phida_bench.metrics.interface import Metric

METRICS = (
    Metric("n_nodes", "#Nodes", 10, lambda e: e.record.n_nodes, None, 1),
    Metric("n_clusters", "#Clusters", 11, lambda e: e.record.n_clusters, None, 1),
)
