"""What a fitted model answers: labels and distances, other cuts, explanations, the clarity of cuts, profiles."""

from phida.answers.clarity import CutClarity, FlowClarity
from phida.answers.explanation import Death, DirectedSamples, Explanation, FlowExplanation, Side
from phida.answers.predictor import Cut
from phida.answers.profile import Profile

__all__ = [
    "Cut",
    "CutClarity",
    "Death",
    "DirectedSamples",
    "Explanation",
    "FlowClarity",
    "FlowExplanation",
    "Profile",
    "Side",
]
