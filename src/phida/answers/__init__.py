"""Answers of a fitted model: labels and distances, other cuts, explanations, clarity of cuts, lists of clusters."""

from typing import TYPE_CHECKING, Any

from phida.answers.clarity import CutClarity, DensityClarity
from phida.answers.clusters import Cluster, ClusterList, Example, TellingFeature
from phida.answers.explanation import Death, DensityExplanation, Difference, Explanation, Pull, RowExplanation, Side
from phida.answers.profile import Profile
from phida.answers.scaling import LargestVariance
from phida.answers.summary import Summary

if TYPE_CHECKING:
    from phida.answers.predictor import Cut

__all__ = [
    "Cluster",
    "ClusterList",
    "Cut",
    "CutClarity",
    "Death",
    "DensityClarity",
    "DensityExplanation",
    "Difference",
    "Example",
    "Explanation",
    "LargestVariance",
    "Profile",
    "Pull",
    "RowExplanation",
    "Side",
    "Summary",
    "TellingFeature",
]


def __getattr__(name: str) -> Any:
    """Import ``Cut`` on first use: it needs scikit-learn, which takes a second to import."""
    if name != "Cut":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from phida.answers.predictor import Cut

    return Cut
