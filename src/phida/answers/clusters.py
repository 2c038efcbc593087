"""The list of clusters that commands, reports and the live page show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from phida.answers.profile import ALIKE, Profile, readable
from phida.records import Examples

#: Maximum number of listed clusters.
MOST_LISTED = 20

#: Features named per cluster.
TELLING = 3

#: Rows shown per cluster.
_EXAMPLES = 3

#: A number that is this small next to the mean is 0, with an error of rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class TellingFeature:
    """A feature whose mean in a cluster is far from the mean of all rows."""

    feature: str
    center: float
    """Mean of the cluster."""
    deviations: float
    """The same in standard deviations from the mean of all rows."""

    def __str__(self) -> str:
        return f"{self.feature} {readable(self.center)} ({self.deviations:+.1f} sd)"


@dataclass(frozen=True)
class Example:
    """A row that a cluster has seen."""

    row: int | None
    """Number of the row among the rows learned, from 0; None if it came from a merged model."""
    values: tuple[tuple[str, float], ...]
    """The cluster's distinctive features, and the row's values of them."""

    def __str__(self) -> str:
        values = ", ".join(f"{feature} {readable(value)}" for feature, value in self.values)
        return values if self.row is None else f"row {self.row:,}: {values}"


@dataclass(frozen=True)
class Cluster:
    """One cluster of the list."""

    cluster: int
    """Label that prediction gives now."""
    id: int
    """Lasting id."""
    rows: int
    """Rows won while they were learned."""
    share: float
    """Share of these rows; with ``half_life`` or weights, share of the support."""
    nodes: int
    telling: tuple[TellingFeature, ...]
    """The most distinctive features, the farthest first."""
    examples: tuple[Example, ...] = ()
    """Rows near its centre, at most three. Only PHIDA+ keeps rows."""


@dataclass(frozen=True)
class ClusterList:
    """The clusters of a model, largest first. ``str()`` shows the first 20 as a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> from phida.answers import ClusterList
    >>> clusters = ClusterList.of(PHIDAPlus().fit(load_iris(as_frame=True).data))
    >>> [(cluster.cluster, cluster.rows) for cluster in clusters.clusters]
    [(1, 100), (0, 50)]
    """

    clusters: tuple[Cluster, ...]
    n_features: int

    @classmethod
    def of(cls, model: Any, examples: Examples | None = None) -> Self:
        """Create it from a fitted model.

        Parameters
        ----------
        model : PHIDA or PHIDAPlus
        examples : Examples, optional
            Rows that the clusters have seen (default: ``examples_`` of the model, if it has any).
        """
        profile = Profile.of(model)
        if examples is None:
            examples = getattr(model, "examples_", None)
        return cls(
            tuple(
                Cluster(
                    cluster=int(profile.label[at]),
                    id=int(profile.id[at]),
                    rows=int(profile.rows[at]),
                    share=float(profile.share[at]),
                    nodes=int(profile.nodes[at]),
                    telling=tuple(
                        TellingFeature(
                            profile.feature_names[j], float(profile.center[at, j]), float(profile.deviations[at, j])
                        )
                        for j in profile.telling(at, TELLING).tolist()
                    ),
                    examples=_shown(profile, at, examples),
                )
                for at in range(len(profile.label))
            ),
            len(profile.feature_names),
        )

    def in_units(self, units: Mapping[str, tuple[float, float]]) -> Self:
        """Return the list with means and examples as ``factor * value + offset``, which undoes an encoding.

        Parameters
        ----------
        units : dict of str to (float, float)
            Factor and offset of features; the values of others stay.
        """

        def undone(feature: str, value: float) -> float:
            factor, offset = units.get(feature, (1.0, 0.0))
            found = factor * value + offset
            return found if abs(found) > _ROUNDING * abs(offset) else 0.0

        def example(one: Example) -> Example:
            return replace(one, values=tuple((feature, undone(feature, value)) for feature, value in one.values))

        clusters = tuple(
            replace(
                cluster,
                telling=tuple(replace(one, center=undone(one.feature, one.center)) for one in cluster.telling),
                examples=tuple(map(example, cluster.examples)),
            )
            for cluster in self.clusters
        )
        return replace(self, clusters=clusters)

    def __len__(self) -> int:
        return len(self.clusters)

    @property
    def listed(self) -> tuple[Cluster, ...]:
        """The largest clusters, at most 20."""
        return self.clusters[:MOST_LISTED]

    @property
    def more(self) -> str:
        """Return the count of unlisted clusters, such as ``and 84 more (3.2 % of the rows)``, or an empty text."""
        rest = self.clusters[MOST_LISTED:]
        if not rest:
            return ""
        return f"and {len(rest):,} more ({percent(sum(cluster.share for cluster in rest))} of the rows)"

    @property
    def ids_differ(self) -> bool:
        """Return whether any id differs from its label."""
        return any(cluster.id != cluster.cluster for cluster in self.clusters)

    def plain(self) -> list[dict[str, Any]]:
        """Return all clusters as plain values, for JSON."""
        return [
            asdict(cluster)
            | {
                "telling": [asdict(one) for one in cluster.telling],
                "examples": [{"row": one.row, "values": dict(one.values)} for one in cluster.examples],
            }
            for cluster in self.clusters
        ]

    def __str__(self) -> str:
        columns = ["cluster", *(["id"] if self.ids_differ else []), "rows", "share", "nodes"]
        table = [columns]
        for one in self.listed:
            ids = [str(one.id)] if self.ids_differ else []
            table.append([str(one.cluster), *ids, f"{one.rows:,}", percent(one.share), f"{one.nodes:,}"])
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        described = ["most distinctive features: mean (standard deviations from the mean of all rows)"]
        described += [", ".join(str(t) for t in one.telling if abs(t.deviations) >= ALIKE) for one in self.listed]
        lines = [
            "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), text])
            for row, text in zip(table, described, strict=True)
        ]
        return "\n".join([line.rstrip() for line in lines] + ([self.more] if self.more else []))


def percent(share: float) -> str:
    """Format a share: whole percents from 10 on, one digit below."""
    return f"{100 * share:.0f} %" if share >= 0.095 else f"{100 * share:.1f} %"


def _shown(profile: Profile, cluster: int, examples: Examples | None) -> tuple[Example, ...]:
    """Return example rows of a cluster, with its most distinctive features."""
    if examples is None:
        return ()
    names = profile.feature_names
    features = profile.telling(cluster, TELLING).tolist()
    return tuple(
        Example(
            int(examples.row[at]) if examples.row[at] >= 0 else None,
            tuple((names[j], float(examples.values[at, j])) for j in features),
        )
        for at in np.flatnonzero(examples.cluster == profile.label[cluster])[:_EXAMPLES].tolist()
    )
