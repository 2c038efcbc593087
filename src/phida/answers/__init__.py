"""Answers of a fitted model: labels and distances, other cuts, explanations, clarity of cuts, lists of clusters."""

from phida.answers.clarity import CutClarity, DensityClarity
from phida.answers.clusters import Cluster, ClusterList, Example, TellingFeature
from phida.answers.explanation import Death, DensityExplanation, Difference, Explanation, Pull, RowExplanation, Side
from phida.answers.profile import Profile
from phida.answers.scaling import LargestVariance
from phida.answers.summary import Summary

__all__ = [
    "Cluster",
    "ClusterList",
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
