"""Models for tests of the plots: records made by hand, of any size."""

from types import SimpleNamespace

import numpy as np

from phida import records
from phida.lineage import Event, History, Lineage


def lineage(*events, n_dropped=0):
    """Return a lineage of events (kind, sample, before, after)."""
    return Lineage(
        [
            Event(i + n_dropped, kind, sample, sample, before, after, support=1.0)
            for i, (kind, sample, before, after) in enumerate(events)
        ],
        n_dropped,
    )


def history(sample=(100, 250, 400), n_nodes=(5, 9, 12), n_clusters=(1, 2, 2), vigilance=(0.5, 0.625, 0.75), plus=False):
    columns = {"sample": sample, "n_nodes": n_nodes, "n_clusters": n_clusters}
    if not plus:
        columns |= {"n_components": n_clusters, "vigilance": vigilance, "interval": n_nodes}
    return History(**{name: np.array(column) for name, column in columns.items()})


def hand_made(n_nodes=12, n_clusters=3, d=4, *, per_cluster=2, names=None, seed=0, plus=False):
    """Return a model of nodes in groups around cluster centres, with at most ``per_cluster`` components per cluster.

    In PHIDA+ (``plus``), nodes replace components, and the last merge has infinite height.
    """
    per_cluster = n_nodes if plus else per_cluster
    rng = np.random.default_rng(seed)
    cluster = np.sort(np.arange(n_nodes) % n_clusters)
    centers = 20 * rng.normal(size=(n_clusters, d))
    support = rng.integers(1, 50, n_nodes)
    components = min(n_clusters * per_cluster, n_nodes)
    component_cluster = np.sort(np.arange(components) % n_clusters)
    first = [int(np.flatnonzero(component_cluster == c)[0]) for c in range(n_clusters)]
    inner = [i for i in range(components) if i not in first]
    merge_into = [first[component_cluster[i]] for i in inner] + first[:1] * (n_clusters > 2)
    merge_from = inner + first[1:2] * (n_clusters > 2)
    modes = min(2 * components, n_nodes)
    mode = np.linspace(0, n_nodes - 1, modes).astype(int)
    birth = np.log(support[mode])
    death = np.where(np.arange(modes) % 2 == 0, birth - rng.uniform(0.6, 1, modes), birth - 0.2)
    death[0] = -np.inf
    heights = np.linspace(1, 2, len(merge_into)) ** 2
    if plus:
        heights = np.concatenate([np.linspace(0, 0.8, len(inner)), [np.inf] * (n_clusters > 2)])
    made = SimpleNamespace(
        cluster_ids_=np.arange(n_clusters) * 2 + 1,
        cluster_centers_=centers,
        n_clusters_=n_clusters,
        n_samples_seen_=1000,
        nodes_=records.Nodes(
            id=np.arange(n_nodes) + 100,
            birth=np.arange(n_nodes),
            representatives=centers[cluster] + rng.normal(size=(n_nodes, d)),
            support=support + 0.5 if plus else support,
            rows=support,
            scale=np.ones(n_nodes),
            active=np.ones(n_nodes, dtype=bool),
            component=cluster,
            cluster=cluster,
            cluster_id=cluster * 2 + 1,
            feature_names=names,
        ),
        graph_=records.Graph(
            nodes=np.arange(n_nodes),
            source=np.arange(n_nodes - 1),
            target=np.arange(1, n_nodes),
            distance=np.ones(n_nodes - 1),
            k=2,
            node_threshold=np.ones(n_nodes),
            global_threshold=1.0,
            isolated=np.array([], dtype=np.int64),
        ),
        persistence_=records.Persistence(
            node=mode,
            birth=birth,
            death=death,
            partner=np.full(modes, -1),
            input_nodes=np.arange(n_nodes),
            base=np.zeros(n_nodes, dtype=np.int64),
            threshold=np.linspace(0.25, 0.5, modes) if plus else 0.25,
            scale=np.full(modes, 4) if plus else None,
        ),
        hierarchy_=records.Hierarchy(
            leaves="node" if plus else "component",
            height="prominence" if plus else "dispersion",
            threshold=1.0 if plus else np.inf,
            leaf=np.arange(n_nodes) if plus else cluster,
            mode=np.arange(components),
            persistence=np.ones(components),
            mass=rng.uniform(1, 9, components),
            centroid=np.zeros((components, d)),
            cluster=component_cluster,
            merge_into=np.array(merge_into, dtype=np.int64),
            merge_from=np.array(merge_from, dtype=np.int64),
            merge_height=heights,
            minimum_count=1,
            level=len(inner),
            merge_prominence=2 * heights if plus else None,
            merge_chance=np.full(len(heights), 2.0) if plus else None,
        ),
        assignment_view_=records.AssignmentView(
            center=np.zeros(d),
            denominator=np.ones(d),
            gamma=0.0,
            support_share=np.full(n_clusters, 1 / n_clusters),
            concentration=1 / n_clusters,
        ),
        moments_=records.Moments(mean=np.zeros(d), deviation=np.full(d, 10.0)),
        lineage_=lineage(
            ("born", 10, (), (1,)),
            ("born", 60, (), (3,)),
            ("split", 200, (1,), (1, 5)),
            ("merged", 300, (3, 5), (3,)),
            ("died", 400, (3,), ()),
            ("revived", 500, (1,), (5,)),
        ),
        history_=history(plus=plus),
    )
    made._frozen = lambda: made
    return made


def with_ids(made, *ids):
    """Return the model with other ids for its clusters, and at least one node per id."""
    of = made.nodes_.cluster if len(ids) == made.n_clusters_ else np.arange(len(made.nodes_)) % max(len(ids), 1)
    cluster_id = np.array(ids)[of] if ids else np.full(len(of), -1)
    made.cluster_ids_ = np.array(ids, dtype=np.int64)
    made.nodes_ = records.Nodes(**{**vars(made.nodes_), "cluster_id": cluster_id})
    return made
