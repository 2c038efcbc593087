"""A summary of a fitted model: its clusters, the closest two, the clarity of their number, and advice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from phida.answers.clarity import CutClarity, DensityClarity
from phida.answers.clusters import ClusterList
from phida.answers.explanation import DensityExplanation, Explainer, Explanation
from phida.answers.scaling import LargestVariance
from phida.answers.single_values import advice_on_single_values, single_valued
from phida.records import Examples

#: Below this clarity, the number of clusters is uncertain.
_CLOSE_CALL = 0.1


@dataclass(frozen=True)
class Summary:
    """Summary of a fitted model, as of :meth:`phida.PHIDAPlus.summary` and ``phida inspect``; ``str()`` shows it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from phida import PHIDAPlus
    >>> from phida.answers import Summary
    >>> len(Summary.of(PHIDAPlus().fit(load_iris().data)).clusters)
    2
    """

    clusters: ClusterList
    n_nodes: int
    clarity: CutClarity | DensityClarity
    closest: Explanation | DensityExplanation | None
    """The two clusters that are closest to being one; None for one cluster."""
    variance: LargestVariance
    """The feature with the largest share of the variance in the metric of the model."""
    single_valued: tuple[str, ...]
    """Features of which most clusters have a single value each, such as whole numbers with a small range."""

    @classmethod
    def of(cls, model: Any, examples: Examples | None = None) -> Self:
        """Create it from a fitted model.

        Parameters
        ----------
        model : PHIDA or PHIDAPlus
        examples : Examples, optional
            Rows that the clusters have seen (default: ``examples_`` of the model, if it has any).
        """
        if examples is None:
            examples = getattr(model, "examples_", None)
        model = model._frozen()  # another thread may be learning
        explainer = Explainer(model)
        pair = explainer.closest_clusters()
        return cls(
            clusters=ClusterList.of(model, examples),
            n_nodes=model.n_nodes_,
            clarity=model.cut_clarity_,
            closest=None if pair is None else explainer.clusters(*pair),
            variance=LargestVariance.of(model),
            single_valued=single_valued(model.nodes_, model.moments_),
        )

    @property
    def sure(self) -> float | None:
        """Clarity of the number of clusters, from 0 (a toss-up) to 1 (certain); None if there was no choice."""
        return self.clarity.clarity

    def plain(self) -> dict[str, Any]:
        """Return the summary as plain values, for JSON."""
        return {
            "clarity": self.sure,
            "decided": str(self.clarity),
            "closest": [] if self.closest is None else self.closest.sentences(),
            "advice": self.advice(),
            "found": self.clusters.plain(),
        }

    def advice(self) -> list[str]:
        """Return what to try if one feature hides or divides the others, or the result is one cluster or uncertain."""
        found = self.variance.advice()
        if len(self.clusters) == 1:
            said = "All rows form one cluster: between no two groups the density falls more than chance explains."
            divides = " cut(n_clusters=…) divides it nevertheless." if self.variance.scalable else ""
            # Advice on the other features comes first: with them, there may be more clusters.
            return found or [said + divides]
        found += advice_on_single_values(self.single_valued)
        if self.sure is not None and self.sure < _CLOSE_CALL:
            found.append("warning: the number of clusters is uncertain; more rows or another order may change it.")
        return found

    def lines(self) -> list[str]:
        """Return the summary as lines of text."""
        lines = str(self.clusters).splitlines()
        if self.clusters.ids_differ:
            lines.append("Labels are those of predict; ids last as the model learns (predict_id, phida predict --ids).")
        if any(cluster.examples for cluster in self.clusters.listed):
            lines += ["", "Rows near the centre of each cluster (row 0 was learned first):"]
            lines += [f"  {one.cluster}: {'; '.join(map(str, one.examples))}" for one in self.clusters.listed]
        if self.closest is not None:
            a, b = self.closest.a.cluster, self.closest.b.cluster
            sentences = self.closest.sentences(most_deaths=0)
            lines += ["", f"The closest clusters are {a} and {b}. {' '.join(sentences)}"]
        return [*lines, f"{self.clarity}.", *self.advice()]

    def described(self, name: str, n_seen: int) -> str:
        """Return the summary as text, below a line with the number of rows.

        Parameters
        ----------
        name : str
            Name of the model's class.
        n_seen : int
            Number of rows learned.
        """
        counts = {"feature": self.clusters.n_features, "node": self.n_nodes, "cluster": len(self.clusters)}
        counted = ", ".join(_counted(count, thing) for thing, count in counts.items())
        return f"{name}: {_counted(n_seen, 'row')} learned, {counted}\n\n{self}"

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _counted(count: int, thing: str) -> str:
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
